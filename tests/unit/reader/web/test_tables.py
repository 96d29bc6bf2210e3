"""Tables of web pages: each row says what its values are."""

import pytest

from selfrag.domain.errors import BadDocument
from tests.support.documents.rows import read_page, rows_of

CITIES = "<tr><th>City<th>Limit<tr><td>Oslo<td>140 EUR<tr><td>Rome<td>90 EUR"
CITIES_READ = "City: Oslo; Limit: 140 EUR\nCity: Rome; Limit: 90 EUR"


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (CITIES, ["City: Oslo; Limit: 140 EUR", "City: Rome; Limit: 90 EUR"]),
        (
            "<thead><tr><td>City<td>Limit</thead><tbody><tr><td>Oslo<td>140 EUR<tr><td>Rome<td>90 EUR</tbody>",
            ["City: Oslo; Limit: 140 EUR", "City: Rome; Limit: 90 EUR"],
        ),
        (
            "<tr><th rowspan=2>Office<th colspan=2>2026<tr><th>Q1<th>Q2<tr><td>Oslo<td>3<td>4",
            ["Office: Oslo; 2026, Q1: 3; 2026, Q2: 4"],
        ),
        ("<tr><th><th>Q1<th>Q2<tr><th>Oslo<td>3<td>4", ["Oslo; Q1: 3; Q2: 4"]),
        ("<tr><th><th>Limit<tr><th>Oslo<td>140", ["Oslo; Limit: 140"]),
        ("<tr><th>City<th>Limit<tr><th>Norway<tr><td>Oslo<td>140", ["Norway; City: Oslo; Limit: 140"]),
        ("<tr><th>Length<td>5 m<tr><th>Width<td>2 m", ["Length: 5 m", "Width: 2 m"]),
        ("<tr><th>Length<td>5 m<th>Width<td>2 m", ["Length: 5 m; Width: 2 m"]),
        (
            "<tr><th>Team<th>Who<tr><td rowspan=2>Sales<td>Ada<tr><td>Bob",
            ["Team: Sales; Who: Ada", "Team: Sales; Who: Bob"],
        ),
        (
            "<tr><th>Day<th>Morning<th>Evening<tr><td>Friday<td colspan=2>closed",
            ["Day: Friday; Morning, Evening: closed"],
        ),
        ("<tr><th>City<th>Limit<tr><td>Oslo<td><tr><td><td>90", ["City: Oslo", "Limit: 90"]),
        ("<tr><td>Oslo<td>140 EUR<tr><td>Rome<td>90 EUR", ["Oslo; 140 EUR", "Rome; 90 EUR"]),
        ("<tr><td>City<td>Limit<tr><td>Oslo<td>140 EUR", ["City: Oslo; Limit: 140 EUR"]),
        ("<tr><td>City<td>Country<tr><td>Oslo<td>Norway", ["City; Country", "Oslo; Norway"]),
        (
            "<tr><td><td colspan=4>Year ended<tr><td><td colspan=2>2010<td colspan=2>2009"
            "<tr><td>Revenue<td>$<td>19<td>$<td>10",
            ["Revenue; Year ended, 2010: $; Year ended, 2010: 19; Year ended, 2009: $; Year ended, 2009: 10"],
        ),
        (
            "<tr><th>City<th>Limit<tr><th colspan=2>Norway<tr><td>Oslo<td>140<tr><th colspan=2>Italy<tr><td>Rome<td>90",
            ["Norway; City: Oslo; Limit: 140", "Italy; City: Rome; Limit: 90"],
        ),
        (
            "<tr><th>City<th>Limit<tr><td>Oslo<td>140<tr><th>Boss<th>Phone<tr><td>Ada<td>4400",
            ["City: Oslo; Limit: 140", "Boss: Ada; Phone: 4400"],
        ),
        (
            "<tr><th>City<th>Notes<tr><td>Oslo<td><p>One.<p>Two.<ul><li>a<li>b</ul>",
            ["City: Oslo; Notes: One. Two. a b"],
        ),
        (
            "<thead><tr><th>Option</thead><tr><td><p>-a<p>All files.<tr><td>-q",
            ["Option: -a All files.", "Option: -q"],
        ),
    ],
)
def test_each_row_value_is_named_by_columns_and_row(table, rows):
    assert rows_of(read_page(f"<table>{table}</table>")) == rows


def test_nested_table_belongs_to_its_row_and_keeps_separate_rows():
    inner = "<table><tr><th>From<th>To<tr><td>8<td>12<tr><td>13<td>17</table>"
    assert rows_of(read_page(f"<table><tr><th>Day<th>Hours<tr><td>Monday<td>{inner}</table>")) == [
        "Day: Monday; Hours: From: 8; To: 12; From: 13; To: 17"
    ]


def test_rows_are_cited_by_their_number_below_the_headings():
    table = f"{CITIES}<tr><th colspan=2>Abroad<tr><td><td><tr><td>Kobe<td>70"
    document = read_page(f"<table>{table}</table>")
    assert [(row.name, document.text[row.start : row.end]) for row in document.rows] == [
        ("row 1", "City: Oslo; Limit: 140 EUR"),
        ("row 2", "City: Rome; Limit: 90 EUR"),
        ("row 3", "Abroad; City: Kobe; Limit: 70"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        f"<table><caption>Limits <i>by</i> city</caption>{CITIES}</table>",
        f"<figure><table>{CITIES}</table><figcaption>Limits by city</figcaption></figure>",
        f"<div class=table><p class=title><b>Limits by city</b></p><div><table>{CITIES}</table></div></div>",
        f"<table><tr><th colspan=2>Limits by city{CITIES}</table>",
    ],
)
def test_a_caption_stays_with_its_table(page):
    document = read_page(f"<p>Before.</p>{page}<p>After.</p>")
    (table,) = document.tables
    assert table.caption == "Limits by city"
    assert document.text[table.start : table.end] == (f"Limits by city\n{CITIES_READ}")
    assert document.text.startswith("Before.\n")
    assert document.text.endswith("\nAfter.")


def test_the_name_of_a_column_in_which_nothing_stands_is_not_lost():
    assert "Remark" in read_page("<table><tr><th>City<th>Remark<tr><td>Oslo<td></table>").text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<table role=presentation><tr><td>Menu of<td>today<tr><td>Soup<td>and bread</table>",
            "Menu of\ttoday\nSoup\tand bread",
        ),
        ("<table><tr><td><h1>Leave</h1><p>25 days.</table>", "Leave\n25 days."),
        ("<table><tr><td><img><th>Warning<tr><td><td>Do not open.</table>", "Warning\nDo not open."),
        ("<table><thead><tr><th>Leave</thead><tr><td><h2>Days</h2><p>25 days.</table>", "Leave\nDays\n25 days."),
        ("<table><tr><td>1<td><pre>if x:\n    go()</pre></table>", "1\nif x:\n    go()"),
        (
            f"<table><tr><td>Left<td><table>{CITIES}</table><tr><td>a<td>b</table>",
            "Left\nCity: Oslo; Limit: 140 EUR\nCity: Rome; Limit: 90 EUR\na\tb",
        ),
    ],
)
def test_a_table_that_only_lays_out_the_page_is_read_as_text(page, text):
    assert read_page(page).text == text


def test_heading_inside_layout_table_is_heading():
    assert [heading.text for heading in read_page("<table><tr><td><h1>Leave</h1><p>25 days.</table>").headings] == [
        "Leave"
    ]


@pytest.mark.parametrize(
    "table",
    [
        "<tr>" + "<td rowspan=1000>" * 1000 + "<tr>" * 100_000,
        "<tr>" + "<td rowspan=1000 colspan=1000>a" * 1000 + "<tr><td>b" * 10_000,
        "<tr>" + "<th colspan=1000>a" * 10_000 + "<tr><td>b<td>c",
        ("<tr><th>a<th>b<tr><td rowspan=50>" + "long " * 50 + "<td>" + "<tr><td>c" * 50) * 200,
        "<tr><th>a<th>b<tr><td>" + "<table><tr><th>a<th>b<tr><td rowspan=9>d<td>" * 200 + "x" + "</table>" * 200,
    ],
)
def test_endlessly_growing_table_is_rejected_or_read_within_bounds(table):
    try:
        length = len(read_page(f"<p>Words.<table>{table}</table>").text)
    except BadDocument as error:
        length, sentence = 0, str(error)
    else:
        sentence = ""
    assert length <= 20_000_000
    assert bool(length) or sentence.endswith("split it into several files.")
