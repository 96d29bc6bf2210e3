"""Navigation is known by its links and its place, in the shapes that pages of many makers have."""

import pytest

from tests.support.documents.rows import read_page

PROSE = "<p>Leave is the time in which one does not work and is paid nevertheless, as the law and the contract say. "
TEXT = f"{PROSE * 3}</p>"
LANGUAGES = "".join(
    f'<li><a href="https://{it}.example.org/Leave" hreflang="{it}">Wiki-{it}</a></li>' for it in ("de", "ja", "ko")
)
MENU = "".join(f'<li><a href="{it}.html">Chapter {it}</a></li>' for it in ("one", "two", "three", "four"))
NAVIGATION = {
    "the languages and categories of Wikipedia": (
        '<a class="mw-jump" href="/wiki/Leave#bodyContent">Jump to content</a><main id="content"><header><h1>Leave</h1>'
        f'<div class="dropdown"><label>3 languages</label><div><ul>{LANGUAGES}</ul></div></div></header>'
        f'<div id="bodyContent"><div class="text">{TEXT}</div><div id="catlinks"><div><a href="/wiki/'
        f'Help:Category">Categories</a>: <ul>{MENU}</ul></div></div></div></main>'
    ),
    "Docusaurus' link past the bar, sidebar and neighbours": (
        '<div role="region"><a href="#after">Skip to main content</a></div><div class="main-wrapper"><aside>'
        f'<div class="title">Recent posts</div><ul>{MENU}</ul></aside><main><article><h1>Leave</h1>{TEXT}</article>'
        '<nav><a href="a.html">Newer post</a></nav></main><div class="col"><div class="toc-x"><ul>'
        '<li><a href="#law">Law</a></li><li><a href="#pay">Pay</a></li></ul><a href="#x">Days</a></div></div></div>'
    ),
    "Apache's bars and languages": (
        '<div id="page-header"><p class="menu"><a href="mod/">Modules</a> | <a href="faq/">FAQ</a> | <a href="m.html">'
        'Sitemap</a></p></div><div id="path"><a href="http://a.org/">Apache</a> &gt; <a href="http://h.org/">HTTP</a> '
        '&gt; <a href="../">Version</a></div><div id="page-content"><h1>Leave</h1><div class="toplang"><p><span>'
        'Available Languages: </span><a href="../de/a.html" hreflang="de">de</a> | <a href="../en/a.html">en</a> | '
        f'<a href="../ko/a.html" hreflang="ko">ko</a></p></div>{TEXT}</div>'
    ),
    "SQLite's bar": (
        '<div class="nosearch"><div class="menu"><ul><li><a href="index.html">Home</a><li><a href="javascript:void(0)">'
        'Menu</a><li><a href="about.html">About</a><li><a href="copyright.html">License</a></ul></div><form><select>'
        f"<option>Search Documentation<option>Search Changelog</select></form></div><h1>Leave</h1>{TEXT}"
    ),
    "a bar between the title and the text": (
        '<h1>Leave</h1><div class="t-navbar"><div><a href="cpp">C++</a></div><div><div><a href="c">Work</a></div>'
        f'<table><tr><td><a href="t">Types</a><td><a href="m">Memory</a></table></div></div>{TEXT}'
    ),
    "a list of the page's own contents below a heading": (
        f"<h1>Leave</h1><h2>Topics</h2><ul><li><a href='#a'>Law</a><li><a href='page.html#b'>Pay</a><li><a href='#c'>"
        f"Contract</a></ul><h2>Law</h2>{TEXT}"
    ),
}


@pytest.mark.parametrize("shape", NAVIGATION)
def test_navigation_of_many_makers_is_left_out_and_of_the_text_nothing(shape):
    text = read_page(NAVIGATION[shape]).text
    named = ("3 languages", "Law")  # words that are no link's stay
    lines = [line for line in text.splitlines() if line not in named]
    assert lines == ["Leave", *read_page(TEXT).text.splitlines()]


@pytest.mark.parametrize(
    "kept",
    [
        f"<h2>See also</h2><ul>{MENU}</ul>",
        "<p><b>See also</b> <a href=a>Holiday</a>, <a href=b>Sabbatical</a>, <a href=c>Sick pay</a>.</p>",
        f"<table><tr><th>Kinds<td><div class=plainlist><ul>{MENU}</ul></div><tr><th>Law<td>Contract</table>",
        f"<ul><li>Kinds of leave<ul>{MENU}</ul></ul>",
        "<table><tr><th>Country<th>Days<tr><td><a href=n>Norway</a><td>25<tr><td><a href=i>Italy</a><td>26<tr><td>"
        "<a href=g>Germany</a><td>20<tr><td><a href=f>France</a><td>25</table>",
        f"<section class=part><h2>Pay</h2>{TEXT}</section><section class=part><h2>Kinds</h2><p>All: {MENU}</section>",
    ],
)
def test_lists_of_links_that_are_part_of_the_text_stay(kept):
    page = read_page(f"<body><div class=menu><ul>{MENU}</ul></div><div class=text><h1>Leave</h1>{TEXT}{kept}</div>")
    assert page.text.startswith("Leave\n")
    assert page.text.count("Chapter one") == kept.count("Chapter one")
    for word in ("Chapter four", "Holiday", "Sick pay", "Norway", "25", "France"):
        assert (word in page.text) == (word in kept), word


def test_links_in_a_sentence_right_below_the_title_stay():
    links = "<a href=a>PyObject_GetItem</a>, <a href=b>PyObject_SetItem</a> and <a href=c>PyObject_DelItem</a>"
    text = read_page(f"<h1>Mapping</h1><div><p>See also</p><p>See also {links}.</p></div>{TEXT}").text
    assert "See also PyObject_GetItem, PyObject_SetItem and PyObject_DelItem." in text

    grammar = (
        "<blockquote><p>Item: <a href=m>Module</a> | <a href=f>Function</a></p><p><a href=s>Structure</a></blockquote>"
    )
    assert "Item: Module | Function\nStructure" in read_page(f"<h1>Items</h1>{grammar}{TEXT}").text


def test_a_page_that_is_an_index_stays_whole():
    index = "".join(f"<li><a href='{letter}.html'>Word {letter}</a>" for letter in "abcdefgh")
    text = read_page(f"<h1>Index</h1><ul>{index}</ul><p>Made by hand.</p>").text
    assert "Word a" in text
    assert "Word h" in text


def test_a_list_below_the_text_stays_where_the_title_stands_beside_both():
    files = "".join(f"<li><a href='{name}'>{name}</a> of the year" for name in ("plan.pdf", "form.docx", "rates.xlsx"))
    text = read_page(
        f"<h1>Leave</h1><div class=intro>{TEXT}</div><div class=files><h2>Files</h2><ul>{files}</div>"
    ).text
    assert text.endswith("Files\nplan.pdf of the year\nform.docx of the year\nrates.xlsx of the year")
