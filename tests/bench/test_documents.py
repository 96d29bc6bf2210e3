"""The measures of `make bench-documents` on tables that are small enough to count by hand."""

import hashlib
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest

from tests.bench.documents.corpus import public
from tests.bench.documents.corpus.building import HELD_OUT, WORKED
from tests.bench.documents.known.areas import Area, cells_of
from tests.bench.documents.known.docling import known_of_document
from tests.bench.documents.known.icdar import known_of_tables
from tests.bench.documents.known.pages import Known
from tests.bench.documents.measures.adjacency import Adjacency, adjacency
from tests.bench.documents.measures.names import wrongly_named
from tests.bench.documents.measures.row_lines import told_in_grid, told_in_lines, told_in_markdown

STRUCTURE = b"""<document><table id="1"><region id="1" page="1" row-increment="-1" col-increment="0">
<cell start-row="1" start-col="1" end-col="2"><content>Sales</content></cell>
<cell start-row="2" start-col="0"><content>Country</content></cell>
<cell start-row="2" start-col="1"><content>2024</content></cell>
<cell start-row="2" start-col="2"><content>2025</content></cell>
<cell start-row="3" start-col="0"><content>Austria</content></cell>
<cell start-row="3" start-col="1"><content>3.5</content></cell>
<cell start-row="3" start-col="2"><content>4.5</content></cell>
</region><region id="2" page="2" row-increment="3" col-increment="0">
<cell start-row="0" start-col="0"><content>Spain</content></cell>
<cell start-row="0" start-col="2"><content>7</content></cell>
</region></table></document>"""
ROWS = ["Country: Austria; Sales, 2024: 3.5; Sales, 2025: 4.5", "Country: Spain; Sales, 2025: 7"]


def known() -> Known:
    return known_of_tables(STRUCTURE)


def wrong(lines: Sequence[str]) -> list[str]:
    cells = known().cells
    return sorted(cells[number].value for number in wrongly_named(cells, told_in_lines(lines).pairs()))


def test_a_marked_grid_gives_values_with_the_names_above_them_and_the_first_text_of_their_row() -> None:
    assert [(cell.columns, cell.row, cell.value, cell.line) for cell in known().cells] == [
        (("Country",), "", "Austria", 2),
        (("Sales", "2024"), "Austria", "3.5", 2),
        (("Sales", "2025"), "Austria", "4.5", 2),
        (("Country",), "", "Spain", 3),
        (("Sales", "2025"), "Spain", "7", 3),
    ]


def test_of_a_marked_grid_only_lost_words_are_counted() -> None:
    assert not known().whole


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (ROWS, []),
        (["Austria; 2024: 3.5; Sales, 2025: 4.5"], []),  # a name that lacks one of two is not another one's
        (["Country: Austria; Sales, 2025: 3.5; Sales, 2024: 4.5"], ["3.5", "4.5"]),
        (["Austria: Spain; 4.5: 7"], ["7", "Spain"]),  # values as names
        (["Austria; 3.5 4.5"], []),  # lost, not wrong
        (["Country: Austria 3.5 4.5"], ["3.5", "4.5"]),  # run together below the name of one of them
    ],
)
def test_a_value_under_a_name_of_others_is_wrong_and_one_without_a_name_is_lost(
    rows: list[str], values: list[str]
) -> None:
    assert wrong(rows) == values


def test_a_row_with_few_words_of_another_one_is_not_that_row() -> None:
    assert wrong(["Item: Austria, a description of the country; Page: 12", "Item: other; Page: 3.5"]) == []


def test_rows_become_the_table_that_they_were_with_names_on_two_levels_and_empty_places() -> None:
    assert adjacency(known().tables, [told_in_lines(ROWS).table()]) == Adjacency(12, 12, 12)


def test_a_lost_column_loses_the_relations_of_its_cells() -> None:
    told = told_in_lines(["Country: Austria; 2025: 4.5", "Country: Spain; 2025: 7"])
    # Country beside 2025, Austria beside 4.5, and both columns down; Spain beside 7 has no empty place between.
    assert adjacency(known().tables, [told.table()]) == Adjacency(12, 7, 4)


def test_an_empty_place_between_two_cells_is_a_part_of_their_relation() -> None:
    table = [Area("a", 0, 0), Area("b", 0, 2)]
    assert adjacency([table], [table]).both == 1
    assert adjacency([table], [[Area("a", 0, 0), Area("b", 0, 1)]]).both == 0


def test_a_table_in_markdown_and_a_grid_are_the_same_table() -> None:
    grid = told_in_grid([["Country", "2024"], ["Austria", "3.5"]])
    assert told_in_markdown("Text\n\n| Country | 2024 |\n|---|---:|\n| Austria | 3.5 |\n\nmore") == [grid]
    assert list(grid.pairs()) == [[("Country", "Austria"), ("2024", "3.5")]]


def test_values_with_a_semicolon_or_a_colon_stay_values() -> None:
    told = told_in_lines(["Name: a; Text: see: this", "Name: b; Text: that", "Name: c; Text: x: y"])
    assert told.names == ["Name", "Text"]
    assert [row[1] for row in told.rows] == ["see: this", "that", "x: y"]


def test_a_cell_that_spans_rows_is_told_with_each_of_them() -> None:
    table = [Area("K", 0, 0, heading=True), Area("V", 0, 1, heading=True)]
    table += [Area("both", 1, 0, rows=2), Area("1", 1, 1), Area("2", 2, 1)]
    assert [(cell.row, cell.value) for cell in cells_of(table)] == [
        ("", "both"),
        ("both", "1"),
        ("", "both"),
        ("both", "2"),
    ]


def test_docling_s_expected_text_is_read_in_its_order_without_headers_of_pages() -> None:
    cells = [
        {"text": text, "start_row_offset_idx": row, "start_col_offset_idx": column, "row_span": 1, "col_span": 1}
        | {"column_header": row == 0}
        for row, texts in enumerate([("Name", "Age"), ("Ann", "7")])
        for column, text in enumerate(texts)
    ]
    refs = [{"$ref": "#/texts/1"}, {"$ref": "#/tables/0"}, {"$ref": "#/texts/0"}]
    texts = [
        {"text": "Page 1", "content_layer": "furniture", "children": []},
        {"text": "First.", "content_layer": "body", "children": []},
    ]
    tables = [{"content_layer": "body", "children": [], "data": {"table_cells": cells}}]
    document = {"body": {"children": refs}, "texts": texts, "tables": tables}
    found = known_of_document(json.dumps(document).encode())
    assert found.text.split() == ["First.", "Name", "Age", "Ann", "7"]
    assert found.furniture == "Page 1"
    assert [(cell.columns, cell.value) for cell in found.cells] == [(("Name",), "Ann"), (("Age",), "7")]


def repository(directory: Path, names: Sequence[str]) -> public.Collection:
    """A git repository with these files, each with what is known of it, as a collection that lists them."""
    git = ("git", "-C", str(directory), "-c", "user.name=n", "-c", "user.email=e@example.org")
    files = {
        name: text for each in names for name, text in ((each, each.encode()), (f"{each[:-4]}-str.xml", STRUCTURE))
    }
    directory.mkdir()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=files"], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    listed = directory / ".git" / "listed"
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in files.items()]
    listed.write_text("\n".join(lines), encoding="utf-8")
    return public.Collection(
        "owner/name", commit, "x", listed, lambda path: PurePosixPath(f"{path.stem}-str.xml"), known_of_tables
    )


def test_the_half_that_is_held_out_is_written_down_only_when_it_is_asked_for(tmp_path: Path) -> None:
    names = [f"{number}.pdf" for number in range(6)]
    halves = {part: {name for name in names if public.half_of(name) == part} for part in (WORKED, HELD_OUT)}
    collection = repository(tmp_path / "files", names)

    def there(held_out: bool) -> set[str]:
        files, missing = public.brought(tmp_path / "build", tmp_path, held_out, print, [collection])
        assert missing == []
        assert {file.name for file in files} == {path.name for path in (tmp_path / "build").rglob("*.pdf")}
        return {file.name for file in files}

    assert all(halves.values())
    assert there(held_out=False) == halves[WORKED]
    assert there(held_out=True) == set(names)


def test_a_file_that_is_not_the_listed_one_is_not_read(tmp_path: Path) -> None:
    name = next(name for name in map("{}.pdf".format, range(100)) if public.half_of(name) == WORKED)
    collection = repository(tmp_path / "files", [name])
    collection.listed.write_text(collection.listed.read_text(encoding="utf-8").replace("a", "b"), encoding="utf-8")
    files, missing = public.brought(tmp_path / "build", tmp_path, False, print, [collection])
    assert (files, len(missing)) == ([], 1)
    assert "is not the file that was listed" in missing[0]
