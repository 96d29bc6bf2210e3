"""Retrieve: search both ways, best, keep to the budget, and to the caller's collections."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Candidates
from selfrag.domain.steps import RetrievedHit, RetrieveTask
from selfrag.question.retrieve.logic import SLOW_SEARCH, retrieve
from selfrag.text.state_budget import STATE_BUDGET_BYTES, size_of
from tests.support.fakes import FailingEmbedder, FakeEmbedder, FakeIndex, passage


class TwoIndexes(FakeIndex):
    """An index that finds other passages for each query."""

    def __init__(self, **found: list[str]) -> None:
        super().__init__()
        self.found = found

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        self.passages = [passage(passage_id, f"Rule {passage_id}.") for passage_id in self.found[text]]
        return super().search(text, vector, size, bounds)


MEMO = (
    "Hotels on travel are booked through the desk of the company, and the bill is sent to the desk for accounts {} "
    "together with the paper on which the manager has signed."
)
ADVERBS = ("soon", "shortly", "directly", "promptly", "quickly", "swiftly")
ALL = ("c0", "c1", "d0", "d1", "other0", "other1")


def task(**fields: object) -> RetrieveTask:
    return RetrieveTask.model_validate({"queries": ["leave"], "collections": ["c"], "top_k": 4, **fields})


def test_the_best_passages_come_first() -> None:
    index = FakeIndex(*(passage(f"p{n}", f"Rule {n}.") for n in range(9)))
    result = retrieve(task(), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["p0", "p1", "p2", "p3"]
    assert index.asked == [("leave", ["c"])]


@pytest.mark.parametrize(("seconds", "warned"), [(0.4, []), (24.2, [SLOW_SEARCH.format(seconds=24)])])
def test_a_collection_that_had_to_start_is_named_in_the_warnings(seconds: float, warned: list[str]) -> None:
    ticks = iter([100.0, 100.0 + seconds])
    result = retrieve(task(), FakeIndex(passage("p1")), FakeEmbedder(), lambda: next(ticks))
    assert ([p.passage_id for p in result.passages], result.warnings) == (["p1"], warned)


def test_the_best_of_each_query_come_in_turn_and_each_passage_once() -> None:
    index = TwoIndexes(leave=["a", "b", "c"], notice=["x", "a", "z"])
    result = retrieve(task(queries=["leave", "notice"]), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["a", "x", "b", "c"]


def test_later_search_skips_seen_passages_and_returns_as_many_new_ones() -> None:
    index = FakeIndex(*(passage(f"p{n:02}", f"Rule {n}.") for n in range(60)))
    first = retrieve(task(top_k=50), index, FakeEmbedder())
    seen = [p.passage_id for p in first.passages]
    later = retrieve(task(seen=seen), index, FakeEmbedder())
    assert [p.passage_id for p in later.passages] == ["p50", "p51", "p52", "p53"]
    assert (first.text_hits, later.text_hits) == (60, 10)
    assert retrieve(task(seen=[p.passage_id for p in index.passages]), index, FakeEmbedder()).passages == []


def test_best_rejected_passages_return_without_displacing_new_ones() -> None:
    index = FakeIndex(*(passage(f"p{n}", f"Rule {n}.") for n in range(12)))
    result = retrieve(task(refused=["p0", "p2", "p3", "p4"], seen=["p1"]), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["p0", "p2", "p3", "p5", "p6", "p7", "p8"]
    assert [p.passage_id for p in retrieve(task(), index, FakeEmbedder()).passages] == ["p0", "p1", "p2", "p3"]


def test_each_older_hit_names_its_newest_version() -> None:
    dates = ("2024-03-01", "2026-03-01", "2025-03-01", None)
    texts = [f"The gate opens at {hour}." for hour in ("six", "eight", "seven", "nine")]
    hits = [passage(f"p{n}", text, date=date) for n, (text, date) in enumerate(zip(texts, dates, strict=True))]
    assert retrieve(task(), FakeIndex(*hits), FakeEmbedder()).newer == {"p0": "p1", "p2": "p1"}


def test_earlier_evidence_is_fetched_although_it_was_seen() -> None:
    index = FakeIndex(passage("p1"))
    fetched = retrieve(task(passage_ids=["p1"], seen=["p1"]), index, FakeEmbedder())
    assert ([p.passage_id for p in fetched.passages], fetched.text_hits) == (["p1"], None)


def test_full_text_hits_match_first_query_within_caller_collections() -> None:
    index = TwoIndexes(leave=["a", "b", "c"], notice=["x"])
    index.passages.append(passage("theirs", collection="other"))
    assert retrieve(task(queries=["leave", "notice"]), index, FakeEmbedder()).text_hits == 3
    assert retrieve(task(queries=["notice", "leave"]), index, FakeEmbedder()).text_hits == 1


def test_copies_of_a_passage_are_one_hit_that_names_their_documents() -> None:
    memos = [passage(f"m{n}", MEMO.format(word), document=f"memo-{n}.md") for n, word in enumerate(ADVERBS)]
    index = FakeIndex(*memos, passage("meals", "Meals cost 45 euros a day.", document="meals.md"))
    result = retrieve(task(), index, FakeEmbedder())
    assert [p.document for p in result.passages] == ["memo-0.md", "meals.md"]
    assert [copy.document for copy in result.passages[0].copies] == [f"memo-{n}.md" for n in range(1, 6)]
    assert result.folded == ["m1", "m2", "m3", "m4", "m5"]
    assert result.bytes == sum(size_of(p) for p in result.passages) > size_of(memos[0]) + 100, "copies take room, too"
    assert retrieve(task(seen=["m0", *result.folded]), index, FakeEmbedder()).hits == [
        RetrievedHit(passage_id="meals", document="meals.md")
    ]


def test_copies_that_two_queries_find_are_one_hit() -> None:
    class Copies(TwoIndexes):
        def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
            self.passages = [passage(passage_id, MEMO) for passage_id in self.found[text]]
            return FakeIndex.search(self, text, vector, size, bounds)

    (hit,) = retrieve(task(queries=["one", "two"]), Copies(one=["a", "b"], two=["b", "c"]), FakeEmbedder()).passages
    assert (hit.passage_id, sorted(copy.passage_id for copy in hit.copies)) == ("a", ["b", "c"])


def test_two_hundred_copies_do_not_hide_the_second_source() -> None:
    copies = [passage(f"c{n:03}", MEMO, document=f"{n}.md") for n in range(130)]
    index = FakeIndex(*copies, passage("meals", "Meals cost 45 euros a day."))
    result = retrieve(task(), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["c000", "meals"]
    assert len(result.folded) == 129
    assert [copy.document for copy in result.passages[0].copies[19:21]] == ["20.md", ""], "20 name their documents"
    assert result.text_hits == 131
    assert len(index.asked) == 3
    endless = FakeIndex(*(passage(f"c{n:04}", MEMO) for n in range(1000)))
    assert len(retrieve(task(), endless, FakeEmbedder()).passages) == 1
    assert len(endless.asked) == 3, "so many searches at most"


def test_room_that_is_shared_with_the_web_is_halved() -> None:
    index = FakeIndex(*(passage(f"p{n}", f"{n}" + "日" * 10_000) for n in range(5)))
    alone, shared = (retrieve(task(shared=shared), index, FakeEmbedder()) for shared in (False, True))
    assert (len(alone.passages), len(shared.passages)) == (2, 1)


def test_busy_embedder_falls_back_to_full_text_with_a_warning() -> None:
    index = FakeIndex(*(passage(f"p{n}", f"Rule {n}.") for n in range(9)))
    result = retrieve(task(), index, FailingEmbedder(TemporarilyUnavailable("busy")))
    assert [p.passage_id for p in result.passages] == ["p0", "p1", "p2", "p3"]
    assert result.warnings == ["The embedding model was too busy: this search was by full text alone."]
    assert retrieve(task(), index, FakeEmbedder()).warnings == []


def test_an_embedding_model_that_may_not_be_asked_is_no_busy_one() -> None:
    with pytest.raises(Misconfigured):
        retrieve(task(), FakeIndex(passage("p0")), FailingEmbedder(Misconfigured("no access")))


def test_passages_of_other_collections_are_not_found() -> None:
    index = FakeIndex(passage("mine"), passage("theirs", collection="other"))
    assert [p.passage_id for p in retrieve(task(), index, FakeEmbedder()).passages] == ["mine"]


def test_earlier_evidence_is_fetched_under_the_callers_own_collections() -> None:
    index = FakeIndex(passage("mine"), passage("theirs", collection="other"))
    result = retrieve(task(passage_ids=["theirs", "mine", "gone"]), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["mine"]
    assert index.asked == []


def test_filters_narrow_what_the_caller_may_ask_and_cannot_widen_it() -> None:
    index = FakeIndex(
        *(
            passage(f"{c}{n}", f"Rule {c}{n}.", collection=c, document=f"{c}/{n}.md")
            for c in ("c", "d", "other")
            for n in range(2)
        )
    )

    def found(**filters: object) -> list[str]:
        asked = task(collections=["c", "d"], filters=filters)
        fetched = retrieve(asked.model_copy(update={"passage_ids": list(ALL)}), index, FakeEmbedder()).passages
        searched = retrieve(asked, index, FakeEmbedder()).passages
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
    index = FakeIndex(
        passage("new", "The new rule.", tags=["hr", "travel"], date="2026-02-01"),
        passage("old", "The old rule.", tags=["travel"], date="2019-07-31"),
        passage("plain", "A plain rule."),
    )

    def found(**filters: object) -> list[str]:
        return [p.passage_id for p in retrieve(task(filters=filters), index, FakeEmbedder()).passages]

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


def test_lowest_ranked_passages_over_budget_are_dropped_and_reported() -> None:
    index = FakeIndex(*(passage(f"p{n}", f"{n}" + "日" * 10_000) for n in range(5)))
    result = retrieve(task(), index, FakeEmbedder())
    assert [p.passage_id for p in result.passages] == ["p0", "p1"]
    assert result.bytes <= STATE_BUDGET_BYTES
    assert result.warnings == ["2 lower-ranked passages were left out: the state holds 163840 bytes."]


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.integers(1, 5), st.sets(st.integers(0, 29)))
def test_no_passage_is_lost_or_found_twice_whatever_copies_there_are(
    texts: list[str], top_k: int, seen: set[int]
) -> None:
    index = FakeIndex(*(passage(f"p{n:02}", f"Rule {text}.") for n, text in enumerate(texts)))
    unseen = [f"p{n:02}" for n in range(len(texts)) if n not in seen]
    result = retrieve(task(top_k=top_k, seen=[f"p{n:02}" for n in seen]), index, FakeEmbedder())
    returned = [*(p.passage_id for p in result.passages), *result.folded]
    assert len(returned) == len(set(returned))
    assert set(returned) <= set(unseen)
    assert len(result.passages) == min(top_k, len({texts[int(passage_id[1:])] for passage_id in unseen}))


@given(st.lists(st.text(min_size=1, max_size=30_000), max_size=8), st.integers(0, STATE_BUDGET_BYTES))
def test_no_text_in_any_script_passes_the_budget(texts: list[str], used: int) -> None:
    index = FakeIndex(*(passage(f"p{n}", text) for n, text in enumerate(texts)))
    result = retrieve(task(bytes_used=used), index, FakeEmbedder())
    assert used + sum(size_of(p) for p in result.passages) <= max(used, STATE_BUDGET_BYTES)
    assert result.bytes == sum(size_of(p) for p in result.passages)
