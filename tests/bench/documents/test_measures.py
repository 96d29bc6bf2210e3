"""The measures of `make bench-documents` on documents of a few words: each wrong reading shows in its own column."""

import pytest

from tests.bench.documents.known.pages import known_of
from tests.bench.documents.known.tables import Cell
from tests.bench.documents.measures.cells import cells_kept, lines_of
from tests.bench.documents.measures.text import Kept, Source
from tests.bench.documents.measures.tokens import tokens, words

TEXT = "the quick brown fox jumps over the lazy dog"
TABLE = """
<table><thead><tr><th rowspan="2">office</th><th colspan="2">2026</th></tr><tr><th>Q1</th><th>Q2</th></tr></thead>
<tbody><tr><th>Kobe</th><td>12</td><td>14</td></tr><tr><th>Lisbon</th><td>40</td><td></td></tr></tbody></table>
"""


def measured(read: str, known: str = TEXT, furniture: str = "") -> Kept:
    return Source(known, furniture).kept(read)


def test_what_is_read_word_for_word_lacks_nothing() -> None:
    assert measured(TEXT) == Kept(known=9, lost=0, read=9, glued=0, invented=0, furniture=0, common=6, in_order=6)


def test_words_that_run_together_are_glued_and_lost() -> None:
    found = measured("the quickbrown fox jumps over thelazydog")
    assert (found.lost, found.glued, found.invented) == (5, 2, 0)


def test_a_word_that_the_source_does_not_have_is_invented_and_no_glue() -> None:
    found = measured(TEXT.replace("brown", "br own"))
    assert (found.lost, found.glued, found.invented) == (1, 0, 2)
    assert measured(TEXT + " quickfox").invented == 1, "they are no neighbours"


def test_every_word_that_is_missing_is_lost_however_often_another_one_stands_there() -> None:
    assert measured("the the the quick brown fox jumps over lazy").lost == 1
    assert measured("").lost == 9


def test_numbers_of_pages_are_not_invented() -> None:
    assert measured(TEXT + "\n17\n").invented == 0


def test_words_of_the_navigation_are_counted_as_such_and_not_as_invented() -> None:
    found = measured("Next Home " + TEXT, furniture="Prev Home Next")
    assert (found.invented, found.glued, found.furniture) == (0, 0, 2)
    assert measured(TEXT, furniture="the fox").furniture == 0, "they are words of the text as well"


def test_the_names_of_columns_and_what_rows_share_are_no_navigation_in_each_row() -> None:
    known = known_of(["<nav>City Limit Oslo</nav><table><tr><th>City<th>Limit<tr><td rowspan=2>Oslo<td>1<tr><td>2"])
    rows = "City: Oslo; Limit: 1\nCity: Oslo; Limit: 2"
    assert Source(known.text, known.furniture, known.cells).kept(f"City, Limit\n{rows}").furniture == 0
    assert (
        Source(known.text, known.furniture, known.cells).kept(f"City Limit Oslo\n\nCity, Limit\n{rows}").furniture == 3
    )


def test_columns_that_are_read_line_by_line_are_out_of_order() -> None:
    left, right = [f"left{n}" for n in range(20)], [f"right{n}" for n in range(20)]
    known = " ".join([*left, *right])
    assert measured(known, known).in_order == measured(known, known).common == 37
    turned = measured(" ".join([*right, *left]), known)
    assert (turned.in_order, turned.common) == (17, 34)
    twice = f"{known} {known} and once more"
    assert (measured(twice, twice).in_order, measured(twice, twice).common) == (6, 6), "what comes twice has no place"
    mixed = measured(" ".join(f"{a} {b}" for a, b in zip(left, right, strict=True)), known)
    assert mixed.common == 0


def test_japanese_and_korean_are_counted_by_characters_and_korean_glue_by_words() -> None:
    assert tokens("ﬁle と 데비안 Ｄebian12") == ["file", "と", "데", "비", "안", "debian12"]
    assert words("데비안 패키지") == ["데비안", "패키지"]
    found = measured("데비안패키지", "데비안 패키지")
    assert (found.lost, found.glued, found.invented) == (0, 1, 0)
    assert measured("有給休 暇", "有給休暇").lost == 0


def test_a_cell_is_kept_if_its_line_says_the_headings_of_its_column_and_its_row() -> None:
    cells = known_of([TABLE]).cells
    assert cells[0] == Cell(("2026", "Q1"), "Kobe", "12", 26)
    assert [cell.value for cell in cells] == ["12", "14", "40"]
    whole = ["office: Kobe; 2026, Q1: 12; 2026, Q2: 14", "office: Lisbon; 2026, Q1: 40"]
    assert cells_kept(cells, whole) == 3
    assert cells_kept(cells, ["office: Kobe; Q1: 12; Q2: 14", "office: Lisbon; 2026, Q1: 40"]) == 1
    assert cells_kept(cells, ["2026, Q1: 12; 2026, Q2: 14", "office: Lisbon; 2026, Q1: 40"]) == 1
    assert cells_kept(cells, ["office", "2026", "Q1", "Q2", "Kobe 12 14", "Lisbon 40"]) == 0
    assert cells_kept(cells, ["office: Kobe; 2026, Q1: 120; 2026, Q2: 140"]) == 0


def test_the_words_of_a_heading_stand_together() -> None:
    cells = known_of(["<table><tr><th>opening time</th></tr><tr><td>9 to 17</td></tr></table>"]).cells
    assert cells_kept(cells, ["opening time: 9 to 17"]) == 1
    assert cells_kept(cells, ["time of opening: 9 to 17"]) == 0


def test_a_page_in_one_line_keeps_no_cell() -> None:
    cells = known_of([TABLE]).cells
    assert cells_kept(cells, ["office 2026 Q1 Q2 Kobe 12 14 Lisbon 40" + " and so on" * 9]) == 0


def test_tables_of_others_count_as_who_sees_them_whole_reads_them() -> None:
    markdown = "Offices:\n\n| office | capacity |\n| --- | ---: |\n| Kobe | 12 |\n\nMore."
    assert lines_of(markdown)[4] == "office: Kobe; capacity: 12"
    assert lines_of(markdown)[-1] == "More."
    assert lines_of(f"{markdown}\n\n| town |\n| --- |\n| Lisbon |")[-1] == "town: Lisbon"


@pytest.mark.parametrize(
    "navigation",
    [
        '<div class="navheader"><table><tr><th>Next</th></tr></table></div>',
        '<div class="related" role="navigation"><ul><li>Next</ul></div>',
        '<div id="toctitle">Next</div><div id="footer">Next</div>',
        "<nav><p>Next</nav>",
    ],
)
def test_navigation_is_no_part_of_what_a_page_says(navigation: str) -> None:
    known = known_of(
        [f"<html><head><title>T</title></head><body>{navigation}<p>One<p>Two<script>x</script></body></html>"]
    )
    assert known.text.split() == ["One", "Two"]
    assert "Next" in known.furniture
    assert known.cells == []


def test_the_numbers_of_notes_are_no_part_of_what_a_page_says_for_each_kind_of_file_has_its_own() -> None:
    known = known_of(['<p>One <a href="#n"><sup>[25]</sup></a> of <a href="b.html">[26]</a></p><p>[27] 28</p>'])
    assert known.text.split() == ["One", "of", "[26]", "[27]", "28"]
    assert "25" in tokens(known.furniture)


def test_a_table_without_headings_is_a_layout() -> None:
    assert known_of(["<table><tr><td>Note<td>Read this."]).cells == []
