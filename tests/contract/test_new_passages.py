"""A later search brings new passages, copies are one hit, matches are counted: in the collection and on the laptop."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfrag.adapters.opensearch.collection import STORED
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.domain.passages import Bounds
from selfrag.ports.index import Index
from selfrag.retrieval.search import search
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.contract.entries import entry, unit
from tests.support.doubles.opensearch_double import OpenSearchDouble

MEMO = (
    "Hotels on travel are booked through the desk of the company, and the bill is sent to the desk for accounts {} "
    "together with the paper on which the manager has signed."
)
ADVERBS = ("soon", "shortly", "directly", "promptly", "quickly", "swiftly")


@pytest.fixture(params=["collection", "laptop"])
def any_index(request: Any, tmp_path: Path) -> Iterator[Index]:
    if request.param == "collection":
        yield request.getfixturevalue("index")
        return
    with closing(connect(SCHEMA, tmp_path)) as connection:
        yield EmbeddedIndex(connection)


def test_a_search_without_passages_finds_as_many_others_both_ways(any_index: Index) -> None:
    any_index.add([entry(f"p{n:02}", f"words {n}", unit(1.0, n / 100)) for n in range(30)])
    seen = [f"p{n:02}" for n in range(25)]
    later = any_index.search("words", unit(1.0), 4, Bounds(["mine"], without=seen))
    assert [p.passage_id for p, _ in later.by_vector] == ["p25", "p26", "p27", "p28"]
    assert len(later.by_text) == 4
    assert not {p.passage_id for p, _ in later.by_text} & set(seen)
    assert (later.text_full, later.vector_full, later.text_hits) == (True, True, 5)
    everything = [f"p{n:02}" for n in range(30)]
    none = any_index.search("words", unit(1.0), 4, Bounds(["mine"], without=everything))
    assert (none.by_text, none.by_vector, none.text_full, none.text_hits) == ([], [], False, 0)
    assert len(any_index.fetch(everything, Bounds(["mine"], without=seen))) == 30, "a fetch by id does not heed it"


def test_search_within_folders_and_documents_matches_any_of_them(any_index: Index) -> None:
    names = ("a/one.md", "a/b/two.md", "ab/three.md", "four.md", "a%/five.md", "x/a/six.md")
    any_index.add([entry(name, document=f"mine/{name}") for name in names])

    def within(*documents: str) -> set[str]:
        limited = Bounds(["mine"], documents)
        both = any_index.search("words", unit(1.0), 10, limited)
        fetched = {passage.passage_id for passage in any_index.fetch(names, limited)}
        assert [{p.passage_id for p, _ in hits} for hits in (both.by_text, both.by_vector)] == [fetched] * 2
        return fetched

    assert within("mine/a/") == {"a/one.md", "a/b/two.md"}
    assert within("mine/a/b/", "mine/four.md") == {"a/b/two.md", "four.md"}
    assert within("mine/a%/") == {"a%/five.md"}
    assert within("mine/") == set(names)
    assert within("mine/a") == within("mine/A/") == within("theirs/") == within("/") == set()


def test_full_text_matches_are_counted_within_bounds_beyond_list(any_index: Index) -> None:
    any_index.add([entry(f"p{n}", "words" if n % 2 else "others", tags=["hr"] if n < 4 else []) for n in range(20)])
    any_index.add([entry("theirs", "words", collection="theirs")])

    def counted(text: str, size: int = 3, **bounds: Any) -> int | None:
        return any_index.search(text, None, size, Bounds(["mine"], **bounds)).text_hits

    assert counted("words") == 10
    assert counted("words", 50) == 10
    assert counted("words others") == 20
    assert counted("words", tags=["hr"]) == 2
    assert counted("words", without=["p1", "p2"]) == 9
    assert counted("nowhere") == 0
    assert any_index.search("words", None, 3, Bounds([])).text_hits == 0


@pytest.mark.parametrize("total", [None, 1, {"value": 1, "relation": "gte"}, {"value": "1", "relation": "eq"}])
def test_a_count_that_the_reply_does_not_say_exactly_is_none(
    total: Any, service: OpenSearchDouble, index: OpenSearchPassages, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add([entry("p")])
    assert index.search("words", None, 50, Bounds(["mine"])).text_hits == 1
    replies = service._msearch("passages", [{}, {"query": {"match_all": {}}, "_source": STORED}])
    replies["responses"][0]["hits"]["total"] = total
    monkeypatch.setattr(service, "_msearch", lambda name, body: replies)
    counted = index.search("words", None, 50, Bounds(["mine"]))
    assert ([p.passage_id for p, _ in counted.by_text], counted.text_hits) == (["p"], None)


def test_more_matches_than_the_service_counts_by_default_are_counted_exactly(
    service: OpenSearchDouble, index: OpenSearchPassages
) -> None:
    index.add([entry(f"p{n}") for n in range(4)])
    service.indices["passages"].counts_up_to = 3
    assert index.search("words", None, 2, Bounds(["mine"])).text_hits == 4


def test_list_is_full_with_as_many_passages_as_requested(any_index: Index) -> None:
    any_index.add([entry("p1", "words"), entry("p2", "words"), entry("p3", "others")])
    for size, full in ((2, (True, True)), (3, (False, True)), (4, (False, False))):
        both = any_index.search("words", unit(1.0), size, Bounds(["mine"]))
        assert (both.text_full, both.vector_full) == full
    alone = any_index.search("words", None, 2, Bounds(["mine"]))
    assert (alone.text_full, alone.vector_full) == (True, False)


def test_copies_of_a_memo_leave_room_for_the_second_source(any_index: Index) -> None:
    any_index.add([entry(f"m{n}", MEMO.format(word)) for n, word in enumerate(ADVERBS)])
    any_index.add([entry("meals", "Meals on travel cost 45 euros a day.", unit(0.2, 1.0))])
    found = search(any_index, [("hotels and meals on travel", unit(1.0))], 4, Bounds(["mine"]), 0.015)
    assert sorted(p.passage_id for p in found.passages if not p.copies) == ["meals"]
    (memo,) = (p for p in found.passages if p.copies)
    assert sorted([memo.passage_id, *(copy.passage_id for copy in memo.copies)]) == [f"m{n}" for n in range(6)]
    assert found.text_hits == 7


def test_copies_that_fill_the_lists_do_not_hide_the_second_source(any_index: Index) -> None:
    any_index.add([entry(f"m{n:03}", MEMO, unit(1.0, n / 1000)) for n in range(120)])
    any_index.add([entry("meals", "Meals cost 45 euros a day.", unit(0.2, 1.0))])
    found = search(any_index, [("hotels on travel", unit(1.0))], 4, Bounds(["mine"]), 0.015)
    assert [len(p.copies) for p in found.passages] == [119, 0]
    assert found.passages[1].passage_id == "meals"
