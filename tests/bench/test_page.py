"""docs/bench.md and its picture are those of the figures that are kept beside them."""

from dataclasses import replace

import pytest

from tests.bench.page import PAGE, PICTURE, filled, kept_figures, table, tables_of
from tests.bench.plot import drawn

pytestmark = pytest.mark.long

TEXT = PAGE.read_text(encoding="utf-8")
ROWS, MORE = kept_figures()


def test_the_tables_of_the_page_are_those_of_the_figures_that_are_kept() -> None:
    tables = tables_of(ROWS, MORE)
    assert filled(TEXT, tables) == TEXT, "run `make bench-docs` and commit docs/"
    assert all(f"<!-- {name} -->\n\n| " in TEXT for name in tables)
    another = tables_of([replace(ROWS[0], usd=1.0), *ROWS[1:]], MORE)
    assert filled(TEXT, another) != TEXT


def test_the_picture_is_that_of_the_same_figures_byte_for_byte() -> None:
    assert drawn(ROWS).encode() == PICTURE.read_bytes(), "run `make bench-docs` and commit docs/"


def test_dollars_of_a_question_are_shown_as_those_of_a_thousand() -> None:
    assert table([{"scenario": "one", "usd": 0.00512, "rounds": 2, "seconds": None}]) == (
        "| scenario | USD per 1,000 | rounds | seconds |\n| --- | ---: | ---: | ---: |\n| one | 5.12 | 2 |  |\n"
    )
