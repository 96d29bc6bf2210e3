"""Hidden and struck text of a web page is not evidence; a warning counts it."""

import pytest

from selfrag.reader.readers import parse
from tests.support.documents.rows import read_page

UNSEEN = ("page.html has 1 passage of text that is not visible, which was left out.",)


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        'style="display:none"',
        'style="visibility: hidden !important"',
        'style="font-size:0"',
        'style="font-size: 1px"',
        'style="opacity:0"',
        'style="opacity: 0.0;"',
        'style="color:#fff;background-color:#ffffff"',
        'style="color:white; background: #fefefe"',
        'style="color: rgb(255, 255, 255); background-color: white"',
        'style="color:transparent"',
        'style="position:absolute;left:-9999px"',
        'style="text-indent:-999em"',
        'style="height:0;overflow:hidden"',
        'style="clip: rect(0, 0, 0, 0)"',
    ],
)
def test_invisible_page_content_is_omitted_with_a_warning(attributes):
    document = read_page(f"<p>Paid <span {attributes}>never </span>leave.</p>")
    assert (document.text, document.warnings) == ("Paid leave.", UNSEEN)


def test_text_in_the_background_colour_of_an_ancestor_is_omitted():
    page = '<div style="background:#fff"><p>Paid <b><span style="color:#fff">never </span></b>leave.</p></div>'
    document = read_page(page)
    assert (document.text, document.warnings) == ("Paid leave.", UNSEEN)


@pytest.mark.parametrize(
    "attributes",
    [
        'aria-hidden="true"',
        'style="color:#fff"',
        'style="color:#fff;background:#1f3864"',
        'style="font-size:0.8em;opacity:0.5"',
        'style="left:-10px;height:0"',
        'style="display:block"',
    ],
)
def test_visible_and_expandable_content_is_read(attributes):
    document = read_page(f"<p>Paid <span {attributes}>leave</span>.</p>")
    assert (document.text, document.warnings) == ("Paid leave.", ())


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("page.html", "<p>The limit is <del>300 EUR</del> <ins>250 EUR</ins>.</p>"),
        ("page.html", "<p>The limit is <s>300 EUR</s> 250 EUR.</p>"),
        ("page.html", "<p>The limit is <strike>300 EUR</strike> 250 EUR.</p>"),
        ("page.html", '<p>The limit is <span style="text-decoration: line-through">300 EUR</span> 250 EUR.</p>'),
        ("page.md", "The limit is ~~300 EUR~~ 250 EUR."),
    ],
)
def test_struck_through_text_is_withdrawn_and_left_out_with_a_warning(key, text):
    document = parse(key, text.encode())
    assert document.text == "The limit is 250 EUR."
    assert document.warnings == (f"{key} has 1 passage of struck-through text, which was left out.",)


@pytest.mark.parametrize("text", ["- [x] ~~Book the room~~", "1. [X] ~~Book the room~~"])
def test_a_task_that_is_done_is_read_though_it_is_struck_through(text):
    document = parse("page.md", text.encode())
    assert "Book the room" in document.text
    assert document.warnings == ()
