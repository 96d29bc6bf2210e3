"""Searching the collection: both searches, their bounds, and the list of documents."""

from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.adapters.opensearch.collection import STORED
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Bounds
from selfrag.ports.index import Index
from selfrag.retrieval.search import search
from tests.contract.entries import PATH, QUERY, entry, found, unit
from tests.support.best_passages import best
from tests.support.doubles.opensearch_double import OpenSearchDouble


def test_index_client_can_search_and_write_and_is_created_once_per_process(index: OpenSearchPassages) -> None:
    typed: Index = index
    assert typed is bootstrap.index(), "one client for all questions of a process"


def test_both_searches_give_their_own_scores_best_first_in_one_request(
    requests: list[tuple[str, str]], index: OpenSearchPassages
) -> None:
    index.add([entry("far", "annual leave", unit(0.0, 1.0)), entry("near", "a car", unit(1.0, 0.1))])
    index.add([entry("opposite", "leaves leave leaving", unit(-1.0))])
    requests.clear()
    both = index.search("annual leave", unit(1.0), 50, Bounds(["mine"]))
    assert requests == [("POST", f"{PATH}/_msearch")]
    assert [p.passage_id for p, _ in both.by_vector] == ["near", "far", "opposite"]
    assert [round(score, 3) for _, score in both.by_vector] == [1.995, 1.0, 0.5]
    assert [p.passage_id for p, _ in both.by_text] == ["far", "opposite"], "english stems: leaves, leaving"
    assert both.by_text[0][1] > both.by_text[1][1] > 0
    assert best(both, 1)[0].passage_id == "far"


def test_search_without_vector_uses_full_text_within_same_bounds(
    requests: list[tuple[str, str]], index: OpenSearchPassages
) -> None:
    index.add([entry("leave", "annual leave"), entry("car", "a car"), entry("theirs", "leave", collection="theirs")])
    requests.clear()
    alone = index.search("annual leave", None, 50, Bounds(["mine"]))
    assert requests == [("POST", f"{PATH}/_msearch")]
    both = index.search("annual leave", unit(1.0), 50, Bounds(["mine"]))
    assert ([p.passage_id for p, _ in alone.by_text], alone.by_vector) == (["leave"], [])
    assert alone.by_text == both.by_text
    assert best(alone, 4)[0].passage_id == "leave"


def test_search_without_vector_treats_missing_index_as_empty(index: OpenSearchPassages) -> None:
    nothing = index.search("words", None, 50, Bounds(["mine"]))
    assert (nothing.by_text, nothing.by_vector) == ([], [])


def test_a_passage_comes_back_as_it_was_written_and_without_its_vector(index: OpenSearchPassages) -> None:
    written = entry("p", "text with \u2028 and 日本")
    index.add([written])
    assert index.search("text", unit(1.0), 1, Bounds(["mine"])).by_text[0][0] == written.passage
    assert index.fetch(["p"], Bounds(["mine"])) == [written.passage]


def test_at_most_size_passages_of_each_are_found(index: OpenSearchPassages) -> None:
    index.add([entry(f"p{n}") for n in range(20)])
    assert [len(ids) for ids in found(index, size=7)] == [7, 7]


def test_a_japanese_query_finds_by_its_bigrams(index: OpenSearchPassages) -> None:
    index.add([entry("leave", "有給休暇は年に25日です。"), entry("travel", "出張費の精算は月末まで。")])
    by_text, _ = found(index, "有給休暇は何日ですか")
    assert by_text[0] == "leave"
    assert found(index, "精算")[0] == ["travel"]


def test_a_question_of_2000_japanese_characters_is_searched(index: OpenSearchPassages) -> None:
    index.add([entry("leave", "有給休暇は年に25日です。")])
    assert found(index, "有給休暇の申請期限を教えて" * 150)[0] == ["leave"]


@pytest.mark.parametrize("query", ["zx-manual-48", "What does ZX-manual-48.md say about soap?", "minutes_2026-05"])
def test_document_is_found_first_by_its_file_name(index: OpenSearchPassages, query: str) -> None:
    names = {"a": "zx-manual-47.md", "b": "m/zx-manual-48.md", "c": "minutes_2026-05.docx", "d": "minutes_2026-06.docx"}
    text = "Clean it with warm water."
    index.add([entry(name, f"{text} {name * 9}", unit(1.0), document=f"mine/{path}") for name, path in names.items()])
    index.add([entry("e", "See zx-manual-48 on soap, and minutes_2026-05, and zx-manual-48 again.", unit(0.0, 1.0))])
    result = search(index, [(query, unit(0.0, 1.0))], 1, Bounds(["mine"]), 0.0)
    assert result.passages[0].passage_id == ("c" if "minutes" in query else "b")


def test_a_search_may_be_limited_to_tags_and_a_time(index: OpenSearchPassages) -> None:
    index.add(
        [
            entry("new", tags=["hr", "travel"], date="2026-02-01"),
            entry("old", tags=["travel"], date="2019-07-31"),
            entry("plain"),
        ]
    )
    everything = ["new", "old", "plain"]

    def within(**bounds: Any) -> list[str]:
        limited = Bounds(["mine"], **bounds)
        both = index.search("words", unit(1.0), 5, limited)
        fetched = [p.passage_id for p in index.fetch(everything, limited)]
        for one in (both.by_text, both.by_vector):
            assert sorted(p.passage_id for p, _ in one) == fetched
        return fetched

    assert within() == everything
    assert within(tags=["hr", "safety"]) == ["new"]
    assert within(tags=["travel"], until="2019-07-31") == ["old"]
    assert within(since="2019-08-01") == ["new"]
    assert within(since="2019-07-31", until="2026-02-01") == ["new", "old"]


def test_passages_of_another_collection_are_never_found_or_fetched(index: OpenSearchPassages) -> None:
    mine = [entry(f"mine{n}", "words", unit(0.0, 1.0)) for n in range(3)]
    theirs = [entry(f"theirs{n}", "words words words", unit(1.0), "theirs") for n in range(300)]
    added = index.add([*mine, *theirs])
    assert len(added.ids) == 303
    # These rank higher in both searches and exceed the size, so the filter must apply before the cut.
    by_text, by_vector = found(index, "words", size=3)
    assert sorted(by_text) == sorted(by_vector) == ["mine0", "mine1", "mine2"]
    assert index.fetch(["theirs0", "mine1", "gone"], Bounds(["mine"])) == [mine[1].passage]
    assert index.service_ids(["theirs0", "mine1"], ["mine"]) == {"mine1": [added.ids["mine1"]]}


def test_a_caller_without_collections_finds_nothing(index: OpenSearchPassages) -> None:
    index.add([entry("p"), entry("unnamed", collection="")])
    nothing = index.search("words", unit(1.0), 50, Bounds([]))
    assert (nothing.by_text, nothing.by_vector, index.fetch(["p", "unnamed"], Bounds([]))) == ([], [], [])


def test_an_index_that_is_not_there_yet_is_an_empty_one(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    nothing = index.search("words", unit(1.0), 50, Bounds(["mine"]))
    assert (nothing.by_text, nothing.by_vector) == ([], [])
    assert index.fetch(["p"], Bounds(["mine"])) == []
    assert index.service_ids(["p"], ["mine"]) == {}
    assert service.indices == {}, "a search makes no index"
    service.knobs.statuses.append(404)
    assert index.search("words", unit(1.0), 50, Bounds(["mine"])) == nothing, "also when the whole request says so"


def test_a_write_is_found_when_the_service_shows_it(service: OpenSearchDouble, index: OpenSearchPassages) -> None:
    service.knobs.searches_until_visible = 3
    added = index.add([entry("p")])
    assert [found(index) for _ in range(5)] == [([], [])] * 3 + [(["p"], ["p"])] * 2
    index.delete(added.ids.values())
    assert [found(index)[0] for _ in range(4)] == [["p"]] * 3 + [[]]


@pytest.mark.parametrize("part", [{"timed_out": True}, {"_shards": {"failed": 1}}, {"status": 429}, {"hits": "words"}])
def test_a_search_of_only_a_part_is_no_answer(
    part: dict[str, Any], service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add([entry("p")])
    body = {**QUERY, "_source": STORED}
    replies = service._msearch("passages", [{}, body, {}, body])
    replies["responses"][1].update(part)
    monkeypatch.setattr(service, "_msearch", lambda name, body: replies)
    with pytest.raises(TemporarilyUnavailable):
        index.search("words", unit(1.0), 50, Bounds(["mine"]))
