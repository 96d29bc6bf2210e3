"""docs/bench-documents.md has the figures that are kept beside it, and says which of the targets they reach."""

from dataclasses import replace

from tests.bench.documents.page import PAGE, kept_figures, tables_of
from tests.bench.documents.results import Row
from tests.bench.documents.targets import targets
from tests.bench.page import filled

TEXT = PAGE.read_text(encoding="utf-8")
_, ROWS = kept_figures()
TEX = Row("pdf by TeX", "selfrag", 11, 0, 1.0, 0.5, 0.5, 40.0, 99.0, 96.0, 96, 100, 1.0, 100)


def told(*rows: Row) -> dict[str, str]:
    return {target.target: f"{target.met}: {target.measured}" for target in targets(rows)}


def test_the_tables_of_the_page_are_those_of_the_figures_that_are_kept() -> None:
    tables = tables_of(ROWS)
    assert filled(TEXT, tables) == TEXT, "run `make bench-documents PUBLISH=1` and commit docs/"
    assert all(f"<!-- {name} -->\n\n| " in TEXT for name in tables)
    another = tables_of({**ROWS, "kinds": [replace(ROWS["kinds"][0], lost=1234.0), *ROWS["kinds"][1:]]})
    assert filled(TEXT, another) != TEXT


def test_at_least_sixty_files_in_three_languages_are_read() -> None:
    ours = [row for row in ROWS["kinds"] if row.reader == "selfrag"]
    assert sum(row.files for row in ours) >= 60
    assert {row.kind for row in ROWS["languages"]} == {"pdf in en", "pdf in ja", "pdf in ko"}


def test_a_target_that_is_missed_says_so_with_the_figure() -> None:
    glue, cells = "words glued in TeX's PDFs", "cells with headings in PDFs"
    assert (told(TEX)[glue], told(TEX)[cells]) == ("yes: 0.5", "yes: 96.0")
    assert told(replace(TEX, glued=1.01))[glue] == "no: 1.01"
    assert told(replace(TEX, kept_cells=94))[cells] == "no: 94.0"


def test_what_another_reader_does_better_is_named_and_our_own_past_is_none() -> None:
    lost = "kinds of which another reader has fewer words lost"
    assert told(TEX, replace(TEX, reader="pypdf"), replace(TEX, reader="before", lost=0.0))[lost] == "yes: none"
    assert told(TEX, replace(TEX, reader="pypdf", lost=0.5))[lost] == "no: pdf by TeX by pypdf: 0.5"
