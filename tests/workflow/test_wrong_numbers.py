"""A wrong number never reaches an answer, whatever the judge: whole questions, half of them with a wrong draft."""

from itertools import product

import pytest

from tests.support.grids import some_of
from tests.support.wrong_numbers import JUDGES, STRATEGIES, run

# Each kind of judge under self_rag, and one under each strategy.
CHOSEN = [*product(["self_rag"], JUDGES), *product(STRATEGIES, ["cascade, always full"])]


@pytest.mark.parametrize(("strategy", "judges"), some_of(product(STRATEGIES, JUDGES), *CHOSEN))
def test_wrong_number_is_never_answered(strategy: str, judges: str) -> None:
    row = run(judges, 4, strategy)
    assert (row.wrong, row.cited_wrong) == (0, 0)
    assert row.lost == 0 or "half" in judges


@pytest.mark.parametrize("judges", ["no decider", "no decider, Claude always full", "thrifty, always full"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_number_that_a_stubborn_writer_repeats_is_withheld_or_cites_nothing(strategy: str, judges: str) -> None:
    row = run(judges, 4, strategy, stubborn=True)
    assert (row.wrong, row.cited_wrong, row.lost) == (0, 0, 0)
