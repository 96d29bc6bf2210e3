"""Fusion: what full text found and what the vector found, as one order."""

import random

from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.passages import Candidates
from selfrag.ports.index import best
from tests.support.fakes import passage


def test_fusion_sums_z_scores() -> None:
    a, b, c = passage("a"), passage("b"), passage("c")
    by_text = [(a, 10.0), (b, 9.0), (c, 1.0)]
    by_vector = [(b, 0.9), (c, 0.8), (a, 0.7)]
    assert [p.passage_id for p in best(Candidates(by_text, by_vector), 3)] == ["b", "a", "c"]


def test_a_passage_that_one_search_missed_gets_that_searchs_lowest_score() -> None:
    a, b = passage("a"), passage("b")
    fused = best(Candidates([(a, 5.0)], [(b, 0.9), (a, 0.8)]), 2)
    assert [p.passage_id for p in fused] == ["b", "a"]


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.tuples(st.floats(-1e6, 1e6), st.floats(-1, 1)), max_size=20))
def test_fusion_does_not_depend_on_the_order_of_what_it_is_given(scores: dict[str, tuple[float, float]]) -> None:
    by_text = [(passage(i), text) for i, (text, _) in scores.items()]
    by_vector = [(passage(i), vector) for i, (_, vector) in scores.items()]
    expected = best(Candidates(by_text, by_vector), 10)
    random.Random(1).shuffle(by_text)
    again = best(Candidates(by_text, list(reversed(by_vector))), 10)
    assert {p.passage_id for p in again} == {p.passage_id for p in expected} or len(scores) > 10
