"""Textract's analysis of a page as text, headings and rows: what its blocks say, in whichever parts they come."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.adapters.textract import PageAssembly
from selfrag.domain.documents import Document
from selfrag.ingestion.recognize_pages.logic import written
from tests.support.doubles.textract_blocks import Page

TABLES = ["LAYOUT", "TABLES"]
PAGE = """^ Staff handbook
# Travel
What it costs is
paid back.
- by train
- by bus

|= Limits by city
|! City | Night
| Oslo | 140 EUR
| Riga | 90 EUR

Ask the desk.
_ Printed in May
. 7"""


def page_of(blocks: list[dict[str, Any]]) -> Document:
    """Return the page that a result of one page says."""
    pages = PageAssembly()
    [page] = [*pages.add(blocks), *pages.rest()]
    return written("c/scan.pdf", page)


def read(text: str, features: list[str] = TABLES, layout: float = 90.0) -> Document:
    """Return what is read of a page that spells this."""
    return page_of(Page(1, text, features, layout=layout).blocks)


def rows(text: str) -> list[str]:
    """Return the rows that are read of a page, each within a table."""
    document = read(text)
    tables = document.tables
    assert all(any(table.start <= row.start < row.end <= table.end for table in tables) for row in document.rows)
    return [document.text[row.start : row.end] for row in document.rows]


def test_a_page_is_read_in_order_with_its_headings_and_without_what_stands_on_every_page() -> None:
    document = read(PAGE, ["LAYOUT"])
    assert document.text.split("\n\n") == [
        "Travel",
        "What it costs is paid back.",
        "by train",
        "by bus",
        "Limits by city",
        "City\nNight\nOslo\n140 EUR\nRiga\n90 EUR",
        "Ask the desk.",
    ]
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Travel")]
    assert document.rows == ()


def test_a_table_stands_in_its_place_with_its_title_and_each_value_has_the_name_of_its_column() -> None:
    document = read(PAGE)
    assert "by bus\n\nLimits by city\nCity: Oslo; Night: 140 EUR\nCity: Riga; Night: 90 EUR\n\nAsk" in document.text
    [table] = document.tables
    assert table.caption == "Limits by city"
    assert document.text.count("Limits by city") == 1


def test_a_header_that_textract_doubts_is_kept() -> None:
    assert "Staff handbook" in read(PAGE, layout=40.0).text


def test_two_rows_of_names_are_joined_and_merged_cells_say_the_same_for_each_row_and_column() -> None:
    text = "|! City | Limit | <\n|! / | Night | Meal\n| Oslo | 140 | 40\n| / | 150 | <\n| / |  | "
    assert rows(text) == [
        "City: Oslo; Limit, Night: 140; Limit, Meal: 40",
        "City: Oslo; Limit, Night, Meal: 150",
    ]


def test_what_no_row_names_is_never_a_name() -> None:
    assert rows("| Invoice | 17\n| Total | 93.50") == ["Invoice; 17", "Total; 93.50"]
    assert rows("|! City | Limit") == ["City; Limit"], "names without values are a row"
    blocks = Page(1, "|! City | 140\n| Riga | 90", TABLES).blocks
    doubtful = [each for each in blocks if each["BlockType"] == "CELL"][1]
    del doubtful["EntityTypes"]
    assert page_of(blocks).text == "City; 140\nRiga; 90"


def test_names_in_the_middle_are_of_the_rows_below_them() -> None:
    text = "|! City | Limit\n| Oslo | 140\n|! Country | Days\n| Norway | 25"
    assert rows(text) == ["City: Oslo; Limit: 140", "Country: Norway; Days: 25"]


def test_a_section_within_a_table_and_a_value_over_its_whole_width_have_no_name() -> None:
    blocks = Page(1, "|! Day | Sum\n| 2023 | \n| May | 40\n| Closed in June | <", TABLES).blocks
    cells = [each for each in blocks if each["BlockType"] == "CELL"]
    cells[2]["EntityTypes"] = ["TABLE_SECTION_TITLE"]
    assert page_of(blocks).text == "2023\nDay: May; Sum: 40\nClosed in June"


def test_a_title_that_is_a_heading_or_a_cell_is_said_once() -> None:
    blocks = Page(1, "|= Limits\n| Limits | <\n|! City | Night\n| Oslo | 140", TABLES).blocks
    assert page_of(blocks).text == "Limits\nCity: Oslo; Night: 140"
    layout = next(each for each in blocks if each["BlockType"] == "LAYOUT_TEXT")
    layout["BlockType"] = "LAYOUT_SECTION_HEADER"
    assert page_of(blocks).text == "Limits\n\nCity: Oslo; Night: 140"


def test_a_ticked_box_and_an_empty_cell_keep_their_columns() -> None:
    assert rows("|! Name | Paid | Days\n| Ida |  | 3\n| Ola | [x] | 4") == [
        "Name: Ida; Days: 3",
        "Name: Ola; Paid: X; Days: 4",
    ]


@pytest.mark.parametrize("missing", ["a cell", "a word of a cell"])
def test_what_a_table_leaves_out_moves_no_value_to_another_column_and_is_not_lost(missing: str) -> None:
    blocks = Page(1, "|! City | Night | Meal\n| Oslo | 140 EUR | 40", TABLES).blocks
    [table] = [each for each in blocks if each["BlockType"] == "TABLE"]
    cell = next(each for each in blocks if (each.get("RowIndex"), each.get("ColumnIndex")) == (2, 2))
    (table if missing == "a cell" else cell)["Relationships"][0]["Ids"].remove(
        cell["Id"] if missing == "a cell" else cell["Relationships"][0]["Ids"][-1]
    )
    night = "" if missing == "a cell" else "Night: 140; "
    assert page_of(blocks).text == f"City: Oslo; {night}Meal: 40\n\n140 EUR"


def test_lines_that_no_layout_names_are_not_lost() -> None:
    blocks = [each for each in Page(1, "One.\n\nTwo.", TABLES).blocks if each["Id"] != "1-5"]
    assert sorted(page_of(blocks).text.split()) == ["One.", "Two."]


@given(st.integers(1, 40), st.booleans())
def test_the_parts_of_a_result_and_the_runs_that_read_them_do_not_change_a_page(size: int, words_last: bool) -> None:
    blocks = [block for number in (1, 2, 3) for block in Page(number, PAGE, TABLES).blocks]
    if words_last:
        blocks.sort(key=lambda block: (block["Page"], block["BlockType"] == "WORD"))
    pages, found, most = PageAssembly(), [], 0
    for start in range(0, len(blocks), size):
        found += pages.add(blocks[start : start + size])
        held = json.loads(json.dumps(pages.held()))
        pages, most = PageAssembly(held), max(most, len(held))
    assert [written("k", page) for page in found] == [written("k", page) for page in PageAssembly().add(blocks)]
    assert (len(found), pages.held()) == (3, {})
    assert most <= 1 + (size > len(blocks) // 3), "only pages that are not whole are held"


@pytest.mark.parametrize("features", [[], ["LAYOUT"], TABLES])
def test_a_page_whose_end_is_missing_is_read_as_far_as_it_came(features: list[str]) -> None:
    assert "Travel" in page_of(Page(1, PAGE, features).blocks[:-4]).text
