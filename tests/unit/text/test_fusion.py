"""Fusion: full-text and vector results in one order."""

import random
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from selfrag.adapters.titan import TitanEmbedder
from selfrag.domain.passages import Candidates
from selfrag.text.fusion import fuse
from selfrag_cli.local.index import E5Embedder
from tests.support.best_passages import best
from tests.support.fakes import passage

SCORES = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0, 40), max_size=20)
COSINES = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(-1, 1), max_size=20)


def test_fusion_sums_z_scores() -> None:
    a, b, c = (passage(name, f"About {name}.") for name in "abc")
    by_text = [(a, 10.0), (b, 9.0), (c, 1.0)]
    by_vector = [(b, 0.9), (c, 0.8), (a, 0.7)]
    assert [p.passage_id for p in best(Candidates(by_text, by_vector), 3)] == ["b", "a", "c"]


@pytest.mark.parametrize("floor", [0.0, 0.015])
def test_the_only_passage_with_the_words_is_before_those_that_merely_resemble(floor: float) -> None:
    vectors = {"a": 0.832, "exact": 0.830, "b": 0.80}
    assert next(iter(fuse({"exact": 7.0}, vectors, spread_floor=floor))) == "exact"
    unlike = {f"p{n}": 0.85 - n / 1000 for n in range(50)}
    assert next(iter(fuse({"exact": 7.0}, unlike, spread_floor=floor))) == "exact", "though no vector is near"
    assert next(iter(fuse({"exact": 0.9}, {"a": 0.9, "exact": 0.8}))) == "exact", "and though only one other is left"


def test_hits_of_one_score_are_both_before_passages_without_a_hit() -> None:
    vectors = {"a": 0.832, "x": 0.830, "y": 0.81, "b": 0.80}
    assert list(fuse({"x": 7.0, "y": 7.0}, vectors, spread_floor=0.015)) == ["x", "y", "a", "b"]


def test_a_weak_hit_is_before_a_passage_without_any_words() -> None:
    fused = fuse({"strong": 9.0, "weak": 2.0}, {"strong": 0.82, "none": 0.811, "weak": 0.81}, spread_floor=0.015)
    assert list(fused) == ["strong", "weak", "none"]


def test_id_missing_from_a_full_list_scores_like_its_last_hit() -> None:
    by_text = {"a": 9.0, "b": 8.0, "c": 7.5}
    fused = fuse({**by_text}, {"a": 0.8, "b": 0.8, "c": 0.8, "beyond": 0.8}, text_full=True)
    assert fused["beyond"] == fused["c"]
    assert fuse(by_text, {"a": 0.8, "beyond": 0.8})["beyond"] < fused["beyond"]


def test_near_equal_vectors_leave_order_to_words_below_embedder_floor() -> None:
    by_text, by_vector = {"a": 3.0, "b": 2.9, "c": 1.0}, {"b": 0.801, "a": 0.800, "c": 0.800}
    assert next(iter(fuse(by_text, by_vector))) == "b"
    assert next(iter(fuse(by_text, by_vector, spread_floor=0.015))) == "a"
    assert (E5Embedder.spread_floor, TitanEmbedder.spread_floor) == (0.015, 0.0)


def test_vectors_that_are_all_alike_do_not_take_the_words_away() -> None:
    assert list(fuse({"b": 2.0, "a": 1.0}, {"a": 0.8, "b": 0.8, "c": 0.8})) == ["b", "a", "c"]


@given(SCORES, st.floats(0, 0.05), st.booleans())
def test_one_search_alone_keeps_its_order(scores: dict[str, float], floor: float, full: bool) -> None:
    for fused in (fuse(scores, {}, text_full=full, spread_floor=floor), fuse({}, scores, spread_floor=floor)):
        assert fused.keys() == scores.keys()
        ranked = list(fused)
        assert all(fused[one] >= fused[two] for one, two in pairwise(ranked))
        assert all(fused[one] >= fused[two] - 1e-8 for one in scores for two in scores if scores[one] >= scores[two])


@given(st.sets(st.text(min_size=1, max_size=3), max_size=20))
def test_equals_are_in_the_order_of_their_ids(ids: set[str]) -> None:
    assert list(fuse(dict.fromkeys(ids, 2.0), dict.fromkeys(ids, 0.8))) == sorted(ids)


@given(SCORES, COSINES, st.floats(0, 0.05), st.booleans())
def test_passage_better_by_words_and_equal_by_vector_is_not_behind(
    by_text: dict[str, float], by_vector: dict[str, float], floor: float, full: bool
) -> None:
    fused = fuse(by_text, by_vector, text_full=full, spread_floor=floor)
    assert fused.keys() == by_text.keys() | by_vector.keys()
    places = {key: place for place, key in enumerate(fused)}
    last = min(by_vector.values(), default=0.0)
    for one in by_text:
        for two in fused:
            assume(by_text[one] == 0 or by_text[one] > 1e-6)
            if by_text[one] > by_text.get(two, 0.0) and by_vector.get(one, last) >= by_vector.get(two, last):
                assert places[one] < places[two] or (full and two not in by_text)


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.tuples(st.floats(-1e6, 1e6), st.floats(-1, 1)), max_size=20))
def test_fusion_does_not_depend_on_the_order_of_what_it_is_given(scores: dict[str, tuple[float, float]]) -> None:
    by_text = [(passage(i, f"About {i!a}"), text) for i, (text, _) in scores.items()]
    by_vector = [(passage(i, f"About {i!a}"), vector) for i, (_, vector) in scores.items()]
    expected = best(Candidates(by_text, by_vector), 10)
    random.Random(1).shuffle(by_text)
    again = best(Candidates(by_text, list(reversed(by_vector))), 10)
    assert {p.passage_id for p in again} == {p.passage_id for p in expected} or len(scores) > 10


def test_passage_without_a_vector_keeps_its_place_by_words() -> None:
    by_text, vectors = {"a": 9.0, "new": 8.0, "b": 3.0, "late": 2.0}, {"b": 0.9, "a": 0.6, "c": 0.85, "d": 0.7}
    fused = fuse(by_text, vectors, unembedded={"new", "late"})
    assert [list(fused).index(key) for key in ("new", "late")] == [1, 3]
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
    assert list(fuse({"new": 9.0, "a": 1.0}, {"a": 0.9}, unembedded={"new"})) == ["new", "a"]
    assert fuse({"new": 3.0}, {}, unembedded={"new"}) == {"new": 0.0}


@given(SCORES, COSINES)
def test_no_passage_without_a_vector_is_behind_its_place_by_words(
    by_text: dict[str, float], by_vector: dict[str, float]
) -> None:
    waiting = by_text.keys() - by_vector.keys()
    fused = fuse(by_text, by_vector, unembedded=waiting)
    assert fused.keys() == by_text.keys() | by_vector.keys()
    if by_vector:
        words = sorted(by_text, key=lambda key: (-by_text[key], key))
        assert all(list(fused).index(key) <= words.index(key) for key in waiting)
