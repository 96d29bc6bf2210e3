"""Markdown is read as GitHub shows it, and with the names of columns in every row of a table."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.documents import has_words
from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import split
from selfrag.reader.files import read_guarded
from tests.support.documents.rows import read_markdown, rows_of

SENTENCE = "The allowance is paid in the month after the claim was made. "
TABLE = "| City | Limit |\n|:-----|------:|\n| Oslo | 140 |\n| Rome | 90 |\n"
ROWS = "City: Oslo; Limit: 140\nCity: Rome; Limit: 90"


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        TABLE.replace("\n", "\r\n"),
        TABLE.removesuffix("\n"),
        "City | Limit\n--- | ---\nOslo | 140\nRome | 90\n",
        "|City|**Limit**|\n|-|-|\n|Oslo|140|\n|Rome|90|",
        "  | [City](c.html) | `Limit` |\n  | - | - |\n  | Oslo | 140 |\n  | Rome | 90 |",
    ],
)
def test_each_value_of_a_table_is_named_by_its_column(table):
    assert rows_of(read_markdown(f"# Limits\n\n{table}")) == ROWS.split("\n")
    assert read_markdown(f"Text before\n{table}\n\nText after.").text == f"Text before\n{ROWS}\nText after."


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("|A|B|\n|-|-|\n|1|2|\n|4|\n", ["A: 1; B: 2", "A: 4"]),
        ("|A|B|\n|-|-|\n|a \\| b|`*.md`|\n", ["A: a | b; B: *.md"]),
        ("|A|B|\n|-|-|\n|`ls | sort`|by name|\n", ["A: ls | sort; B: by name"]),
        ("| |Q1|Q2|\n|-|-|-|\n|Oslo|3|4|\n", ["Oslo; Q1: 3; Q2: 4"]),
        ("|Question|\n|---|\n|May I?|\n", ["Question: May I?"]),
        ("|A|B|\n|-|-|\n|1|2|\n# Next\n", ["A: 1; B: 2"]),
    ],
)
def test_a_table_is_read_as_people_write_it(table, rows):
    assert rows_of(read_markdown(table)) == rows


def test_rows_are_cited_by_their_number_and_definitions_by_none():
    page = f"{TABLE}\n<dl><dt>Apple<dd>A fruit.</dl>\n"
    assert [row.name for row in read_markdown(page).rows] == ["row 1", "row 2", ""]


@pytest.mark.parametrize("page", [f"Table: By city\n\n{TABLE}", f"{TABLE}\nTable: By city\n", f"{TABLE}\n: By city\n"])
def test_a_caption_stays_with_its_table(page):
    document = read_markdown(f"Before.\n\n{page}\nAfter.")
    (table,) = document.tables
    assert table.caption == "By city"
    assert document.text[table.start : table.end] == f"By city\n{ROWS}"
    assert document.text.split() == ["Before.", "By", "city", *ROWS.split(), "After."]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"```\n{TABLE}```\nEnd.", f"{TABLE}End."),
        (f"    {TABLE}".replace("\n", "\n    ") + "\nEnd.", f"{TABLE}End."),
        ("```\nApple\n\n: A `fruit`\n```", "Apple\n\n: A `fruit`"),
        ("Apple\n: A [fruit](f.md).\n", "Apple : A fruit."),
        ("| A | B |\n|---|\nEnd.", "| A | B | |---| End."),
        ("a | b\nc | d", "a | b c | d"),
        ("Ratios:\n3 : 4\nWell: so.", "Ratios: 3 : 4 Well: so."),
        ("We met at 9\n\n:-)", "We met at 9\n:-)"),
        ("Add `[Oslo](oslo.md)` to it", "Add [Oslo](oslo.md) to it"),
        ("row[i] and \\[Oslo](oslo.md) and [Oslo][1]", "row[i] and [Oslo](oslo.md) and [Oslo][1]"),
        ("<https://oslo.example>, https://rome.example", "https://oslo.example, https://rome.example"),
        ("From ~5 to ~10, not ~20 *a_b* &amp; **bold**", "From ~5 to ~10, not ~20 a_b & bold"),
        ("one\ntwo  \r\nthree\n\nfour", "one two\nthree\nfour"),
        ("Copyright 2026 The Authors. All rights reserved.", "Copyright 2026 The Authors. All rights reserved."),
    ],
)
def test_markdown_outside_tables_is_read_as_github_shows(text, shown):
    document = read_markdown(text)
    assert document.text.strip() == shown.strip()
    assert not document.rows


def test_the_items_of_ordered_lists_keep_their_numbers():
    text = "3. Open\n4. Close\n\n   Wait.\n\n   - once\n5. Lock\n\n<!-- -->\n\n1. Again\n"
    assert read_markdown(text).text.split("\n") == ["3. Open", "4. Close", "Wait.", "once", "5. Lock", "1. Again"]


def test_a_footnote_is_read_at_the_end_by_its_number():
    text = "Leave[^a] is paid[^b].\n\n[^b]: In *June*.\n[^a]: 25 days.\n\n    Of work.\n"
    assert read_markdown(text).text.split("\n") == ["Leave[1] is paid[2].", "1. 25 days.", "Of work.", "2. In June."]


def test_front_matter_is_no_part_of_the_text_and_gives_the_title():
    text = "---\ntitle: Leave & pay\nowner: Ann\n---\n# Leave\n"
    document = read_markdown(text)
    assert (document.title, document.text, [one.text for one in document.headings]) == (
        "Leave & pay",
        "Leave",
        ["Leave"],
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ask in [Oslo](oslo.md) or [Rome]( <a b> 'Rome' ).", "Ask in Oslo or Rome."),
        ('都は[東京](https://ja.wikipedia.org/wiki/Tokyo_(city) "Tokyo")です', "都は東京です"),
        ("- [Oslo](oslo.md)\n- [Rome](rome.md)\n- [Bonn](bonn.md)\n", "Oslo\nRome\nBonn"),
        ("- [Oslo](#a)\n- [Rome](#b)\n- [Bonn](#c) is ours\n", "Oslo\nRome\nBonn is ours"),
        ("See [the *rules*\nof `leave`](rules.md#1).", "See the rules of leave."),
        ("[![Logo](a.png)](b.html) ![Plan](c.svg)", "Logo Plan"),
        ("|A|\n|-|\n|[b](c.md)|\n", "A: b"),
    ],
)
def test_markdown_link_target_is_dropped_as_on_web_page(text, shown):
    assert read_markdown(text).text == shown


def test_a_heading_stays_where_it_is_behind_links_and_with_one():
    document = read_markdown("See [a](b).\n\n## The [rules](r.md)\n\nText.")
    (heading,) = document.headings
    assert document.text[heading.start : heading.end] == "The rules"
    assert heading.text == "The rules"


def test_html_tables_and_definitions_are_read_as_on_web_page():
    page = "Before.\n\n<table>\n\n<tr><th>A<th>B\n<tr><td>1<td>2\n</table>\n<dl><dt>a<dd>b</dl>\n\n# End\n"
    assert read_markdown(page).text == "Before.\nA: 1; B: 2\na: b\nEnd"
    assert [heading.text for heading in read_markdown(page).headings] == ["End"]


def test_headings_stay_where_they_are_below_tables():
    document = read_markdown(f"# One\n\n{TABLE}\n## Two ##\n\nApple\n: A fruit.\n\nThree\n=====\n\nText.")
    assert [(document.text[one.start : one.end], one.level, one.text) for one in document.headings] == [
        ("One", 1, "One"),
        ("Two", 2, "Two"),
        ("Three", 1, "Three"),
    ]


def test_a_list_of_contents_is_left_out_with_its_heading():
    contents = "- [Leave](#leave)\n  * [Days](#days)\n- [Pay](#pay)\n"
    assert read_markdown(f"# Handbook\n\n{contents}\n## Leave\n\nPaid.").text == "Handbook\nLeave\nPaid."
    assert read_markdown(f"# Handbook\n\n## Contents\n{contents}\n## Leave\n\nPaid.").text == "Handbook\nLeave\nPaid."
    with pytest.raises(BadDocument, match=r"^a\.md holds only navigation"):
        read_markdown(f"# Contents\n\n{contents}")


LINES = st.sampled_from(
    [
        "",
        "Words one",
        "two | three",
        "|a|b|",
        "|-|-|",
        "---|---",
        "# H",
        "===",
        ": so",
        "    in",
        "```",
        "~ x",
        "- [A](#a)",
        "- [B](b)",
        "# [H](h)",
        "[a\n`b](c) `[d](e)",
        "<table>",
        "</table>",
        "<tr><td>x<td>y",
        "Table: c",
        "> q",
        "\t: z",
        "---",
        "<dl><dt>t",
        "</dl>",
        "|",
    ]
)


@settings(deadline=None)
@given(lines=st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=25), end=st.sampled_from(["\n", "\r\n"]))
def test_any_markdown_is_read_or_refused_and_says_where_its_parts_are(lines, end):
    try:
        document = read_markdown(end.join(lines))
    except BadDocument:
        return
    stretches = [*document.headings, *document.rows, *document.tables]
    assert all(0 <= one.start < one.end <= len(document.text) for one in stretches)
    for each in (document.headings, document.rows, document.tables):
        assert [one.start for one in each] == sorted(one.start for one in each)
    assert all(has_words(piece.text) for piece in split(document))


WIDE = f"|{'a|' * 500}\n|{'-|' * 500}\n{'x' * 500}\n".replace("x", "x\n")


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "|a|\n",
            "|a|\n|-|\n",
            "a\n: b\n\n",
            "a\n\n: b\n\n\n\n",
            "<table>\n",
            "- [a](b)\n",
            "a\n",
            ": a\n",
            "| ",
            "|-",
            "\n",
        ),
        *(
            "~",
            "`",
            "|`",
            "[a](b ",
            "[a] ",
            "![",
            '[a](b "',
            ">",
            "- ",
            "<p>: ",
            '<img src="" alt=""',
            "[^1]",
            "*a _",
            "<!--",
        ),
        WIDE,
    ],
)
def test_any_number_of_marks_is_read_or_refused(unit):
    with suppress(BadDocument):
        assert read_guarded("a.md", (unit * (100_000 // len(unit)) + "end").encode()).text


def test_markdown_that_takes_too_much_memory_is_refused_with_what_to_do():
    with pytest.raises(BadDocument, match=r"^a\.md takes more than 768 MB of memory to read; split it, or save it in"):
        read_guarded("a.md", (WIDE * 100).encode())
