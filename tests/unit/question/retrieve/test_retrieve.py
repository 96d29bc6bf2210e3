"""Retrieve: search both ways, best, keep to the budget, and to the caller's collections."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question.retrieve.logic import Task, retrieve
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import best
from selfrag.text.budget import STATE_BUDGET_BYTES, size_of
from tests.support.fakes import passage


class Index:
    """An index of passages that remembers what it was asked."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = list(passages)
        self.asked: list[tuple[str, Sequence[str]]] = []

    def search(self, text: str, vector: Sequence[float], size: int, bounds: Bounds) -> Candidates:
        self.asked.append((text, bounds.collections))
        seen = [p for p in self.passages if within(p, bounds)]
        scored = [(p, float(len(seen) - n)) for n, p in enumerate(seen)]
        return Candidates(scored[:size], scored[:size])

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        return [p for p in self.passages if p.passage_id in passage_ids and within(p, bounds)]


def within(found: Passage, bounds: Bounds) -> bool:
    of_time = not (bounds.since or bounds.until) or (bounds.since or "") <= (found.date or "") <= (bounds.until or "9")
    return (
        found.collection in bounds.collections
        and (bounds.documents is None or found.document in bounds.documents)
        and (bounds.tags is None or not set(found.tags).isdisjoint(bounds.tags))
        and of_time
    )


ALL = ("c0", "c1", "d0", "d1", "other0", "other1")


class Embedder:
    def query(self, text: str) -> list[float]:
        return [1.0]

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def task(**fields: object) -> Task:
    return Task.model_validate({"query": "leave", "collections": ["c"], "top_k": 4, **fields})


def test_the_best_passages_come_first() -> None:
    index = Index(*(passage(f"p{n}") for n in range(9)))
    result = retrieve(task(), index, Embedder())
    assert [p.passage_id for p in result.passages] == ["p0", "p1", "p2", "p3"]
    assert index.asked == [("leave", ["c"])]


def test_passages_of_other_collections_are_not_found() -> None:
    index = Index(passage("mine"), passage("theirs", collection="other"))
    assert [p.passage_id for p in retrieve(task(), index, Embedder()).passages] == ["mine"]


def test_earlier_evidence_is_fetched_under_the_callers_own_collections() -> None:
    index = Index(passage("mine"), passage("theirs", collection="other"))
    result = retrieve(task(passage_ids=["theirs", "mine", "gone"]), index, Embedder())
    assert [p.passage_id for p in result.passages] == ["mine"]
    assert index.asked == []


def test_filters_narrow_what_the_caller_may_ask_and_cannot_widen_it() -> None:
    index = Index(
        *(passage(f"{c}{n}", collection=c, document=f"{c}/{n}.md") for c in ("c", "d", "other") for n in range(2))
    )

    def found(**filters: object) -> list[str]:
        asked = task(collections=["c", "d"], filters=filters)
        fetched = retrieve(asked.model_copy(update={"passage_ids": list(ALL)}), index, Embedder()).passages
        searched = retrieve(asked, index, Embedder()).passages
        assert {p.passage_id for p in searched} == {p.passage_id for p in fetched}
        return sorted(p.passage_id for p in searched)

    assert found() == ["c0", "c1", "d0", "d1"]
    assert found(collections=["d"]) == ["d0", "d1"]
    assert found(collections=["d", "other"]) == ["d0", "d1"]
    assert found(collections=["other"]) == []
    assert found(documents=["c/0.md", "other/0.md"]) == ["c0"]
    assert found(collections=["d"], documents=["c/0.md", "d/1.md"]) == ["d1"]
    assert found(collections=["d"], documents=["other/0.md"]) == []


def test_a_search_may_be_limited_to_tags_and_a_time() -> None:
    index = Index(
        passage("new", tags=["hr", "travel"], date="2026-02-01"),
        passage("old", tags=["travel"], date="2019-07-31"),
        passage("plain"),
    )

    def found(**filters: object) -> list[str]:
        return [p.passage_id for p in retrieve(task(filters=filters), index, Embedder()).passages]

    assert found(tags=["HR ", "safety"]) == ["new"]
    assert found(tags=["travel"], until="2020-01-01") == ["old"]
    assert found(since="2019-07-31") == ["new", "old"]
    assert found(since="2019-08-01", until="2026-02-01") == ["new"]


@pytest.mark.parametrize(
    "filters",
    [
        {"collections": []},
        {"documents": []},
        {"documents": ["\ud800"]},
        {"tags": []},
        {"tags": [" "]},
        {"tags": ["a,b"]},
        {"authors": ["Ann"]},
        {"since": "yesterday"},
        {"until": "2026-02-30"},
        {"since": 20260101},
        {"since": "2026-01-02", "until": "2026-01-01"},
    ],
)
def test_a_filter_that_says_nothing_or_the_unknown_is_refused(filters: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="filters"):
        task(filters=filters)


def test_a_caller_without_collections_is_refused() -> None:
    with pytest.raises(ValueError, match="collections"):
        task(collections=[])


def test_past_the_budget_the_lowest_ranked_are_dropped_and_the_result_says_so() -> None:
    index = Index(*(passage(f"p{n}", "日" * 10_000) for n in range(5)))
    result = retrieve(task(), index, Embedder())
    assert [p.passage_id for p in result.passages] == ["p0", "p1"]
    assert result.bytes <= STATE_BUDGET_BYTES
    assert result.warnings == ["2 lower-ranked passages were left out: the state holds 163840 bytes."]


@given(st.lists(st.text(min_size=1, max_size=30_000), max_size=8), st.integers(0, STATE_BUDGET_BYTES))
def test_no_text_in_any_script_passes_the_budget(texts: list[str], used: int) -> None:
    index = Index(*(passage(f"p{n}", text) for n, text in enumerate(texts)))
    result = retrieve(task(bytes_used=used), index, Embedder())
    assert used + sum(size_of(p) for p in result.passages) <= max(used, STATE_BUDGET_BYTES)
    assert result.bytes == sum(size_of(p) for p in result.passages)


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
