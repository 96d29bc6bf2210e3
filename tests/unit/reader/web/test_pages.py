"""Any web page whatever is read or refused, and no word that it shows is lost."""

import re
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.readers import parse

OPENING = re.findall(
    r"\S+",
    """article aside b blockquote br caption center dd div dl dt em figcaption figure h1 h2 h3 header hr li main ol p
    pre section span table tbody td tfoot th thead tr ul""",
)
TAGS = [
    *(f"<{tag}>" for tag in OPENING),
    *(f"</{tag}>" for tag in OPENING),
    *("<td colspan=2>", "<td rowspan=3>", "<th rowspan=2>", "<th colspan=3>", "<table role=presentation>"),
    *("<div class=table>", "<p class=title>", "<div class=example>", "<dl><dt>", "<table><tr><td>", "<footer>"),
]
FURNITURE = [
    "<nav>",
    "<div class=toc>",
    "<p hidden>",
    "</nav>",
    "</div>",
    "</p>",
    "<a href=a>x</a>",
    "<script>",
    "&#0;",
]
WORDS = st.sampled_from(["word ", "word. ", "word word word ", "long " * 200])


def page_of(marks):
    """Return the marks as a page, with another word wherever there is one."""
    numbers = count()
    return re.sub(r"word|long", lambda _: f"w{next(numbers)}", "".join(marks))


@settings(deadline=None, max_examples=300)
@given(marks=st.lists(st.one_of(WORDS, st.sampled_from(TAGS).filter(lambda tag: tag != "<footer>")), max_size=40))
def test_every_word_of_any_page_without_furniture_is_read(marks):
    page = page_of(marks)
    try:
        found = set(re.findall(r"w\d+", parse("a.html", page.encode()).text))
    except BadDocument as error:
        found, told = set(), str(error)
        assert told == "a.html holds no words."
    assert set(re.findall(r"w\d+", page)) == found


@settings(deadline=None, max_examples=300)
@given(marks=st.lists(st.one_of(WORDS, st.text(max_size=9), st.sampled_from([*TAGS, *FURNITURE])), max_size=40))
def test_any_page_is_read_or_refused_and_says_where_its_parts_are(marks):
    try:
        document = parse("a.html", page_of(marks).encode())
    except BadDocument as error:
        assert str(error).endswith(".")  # noqa: PT017
        return
    for stretches in (document.headings, document.rows, document.tables):
        assert all(0 <= one.start < one.end <= len(document.text) for one in stretches)
        assert all(one.end <= following.start for one, following in pairwise(stretches))
    assert "".join(piece.text for piece in split(document))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li><input type=checkbox checked> Keys<li><input type=checkbox> Meter</ul>", "[x] Keys\n[ ] Meter"),
        ("<p><input type=radio name=r checked> Day <input type=radio name=r> Night", "[x] Day [ ] Night"),
        ("<p>Centre <select><option>4100<option selected>4200</select>", "Centre 4200"),
        ("<p>Size:<select><option>Small<option>Large</select>", "Size: Small"),
        ("<p>Sizes <select multiple><option selected>S<option>M<option selected>L</select>", "Sizes S, L"),
        ("<p>Room <select><option value=''>Please choose<option>4</select> now", "Room now"),
        ("<p>Holder: <input type=text value='Ada Example'>", "Holder: Ada Example"),
        ("<table><tr><th>Day<th>Fee<tr><td><input type=date value=2026-03-05><td>4</table>", "Day: 2026-03-05; Fee: 4"),
        ("<p>Notes<textarea>Ring twice.</textarea>", "Notes Ring twice."),
        ("<p>Used <progress value=.7>70%</progress><meter value=.6>60%</meter>", "Used 70% 60%"),
        ("<p>Code <input type=password value=secret><input type=hidden value=t><input value=x hidden> ok", "Code ok"),
        ("<ol><li>Open<li value=5>Wait<li><p>Close</ol>", "1. Open\n5. Wait\n6. Close"),
        ("<ol start=3 type=a><li>Open<li>Wait</ol>", "c. Open\nd. Wait"),
        ("<ol reversed type=I><li>Gold<li><b>Silver</b></ol>", "II. Gold\nI. Silver"),
        ("<ol><li>Outer<ol><li>Inner</ol><li>Last</ol>", "1. Outer\n1. Inner\n2. Last"),
        ("<ol style='list-style: none'><li>Open</ol>", "Open"),
    ],
)
def test_page_shows_values_of_fields_and_numbers_of_lists(html, text):
    assert parse("page.html", f"<h1>Form</h1>{html}".encode()).text == f"Form\n{text}"


def test_raw_fields_in_markdown_show_their_values():
    colour = "Colour: <select><option>Red</option><option selected>Blue</option></select>"
    form = f'# Form\n\n{colour}\n\n<input type="checkbox" checked> Sent\n'
    assert parse("form.md", form.encode()).text == "Form\nColour: Blue\n[x] Sent"
