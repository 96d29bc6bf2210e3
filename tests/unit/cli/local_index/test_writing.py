"""Writes to the embedded index, and deletions, are visible to searches."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import IndexEntry
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.support.fakes import FakeEmbedder

VECTOR = FakeEmbedder().query("leave")


@pytest.fixture
def index() -> Iterator[EmbeddedIndex]:
    with closing(connect(SCHEMA)) as connection:
        yield EmbeddedIndex(connection)


def entry(
    passage_id: str, text: str = "Leave.", collection: str = "c", document: str = "c/people/leave.md"
) -> IndexEntry:
    passage = Passage(
        passage_id=passage_id, document=document, text=text, collection=collection, heading="Leave", page=2
    )
    return IndexEntry(passage, VECTOR)


def held(index: EmbeddedIndex, *collections: str) -> list[Passage]:
    return [passage for passage, _ in index.search("", VECTOR, 50, Bounds(collections or ["c"])).by_vector]


def test_added_passages_get_ids_of_the_index(index: EmbeddedIndex) -> None:
    added = index.add([entry("p1"), entry("p2")])
    assert (added.failed, added.unknown) == ({}, set())
    assert added.ids.keys() == {"p1", "p2"}
    assert len({"p1", "p2", *added.ids.values()}) == 4
    assert index.service_ids(["p1", "p2", "p3"], ["c"]) == {key: [own] for key, own in added.ids.items()}
    assert index.service_ids(["p1"], ["other"]) == {}
    assert [passage.passage_id for passage in held(index)] == ["p1", "p2"]


def test_stored_passage_keeps_its_place_and_drops_collection_from_document_name(
    index: EmbeddedIndex,
) -> None:
    index.add([entry("p1")])
    (passage,) = index.fetch(["p1"], Bounds(["c"]))
    assert passage == entry("p1", document="people/leave.md").passage


def test_deletion_is_effective_and_idempotent(index: EmbeddedIndex) -> None:
    added = index.add([entry("p1"), entry("p2"), entry("p3", collection="d")])
    assert len(held(index, "c", "d")) == 3
    index.delete([added.ids["p1"], added.ids["p3"], "never there"])
    assert [passage.passage_id for passage in held(index, "c", "d")] == ["p2"]
    index.delete([added.ids["p1"]])
    index.delete([])
    assert index.service_ids(["p1", "p2"], ["c"]) == {"p2": [added.ids["p2"]]}


def test_a_passage_that_is_added_again_is_there_once(index: EmbeddedIndex) -> None:
    index.add([entry("p1", "Old.")])
    again = index.add([entry("p1", "New.")])
    assert [passage.text for passage in held(index)] == ["New."]
    assert index.service_ids(["p1"], ["c"]) == {"p1": [again.ids["p1"]]}


def test_search_can_be_limited_to_documents_by_name_or_key(index: EmbeddedIndex) -> None:
    index.add([entry("p1", "Leave one."), entry("p2", "Leave two.", document="c/pay.md")])
    for name in ("pay.md", "c/pay.md"):
        found = index.search("leave", VECTOR, 1, Bounds(["c"], [name]))
        assert [passage.passage_id for passage, _ in [*found.by_text, *found.by_vector]] == ["p2", "p2"]
        assert [passage.passage_id for passage in index.fetch(["p1", "p2"], Bounds(["c"], [name]))] == ["p2"]
    assert index.search("leave", VECTOR, 1, Bounds(["c"], [])).by_vector == []


def test_a_search_can_be_narrowed_to_tags_and_a_time(index: EmbeddedIndex) -> None:
    labelled = {"new": (["hr", "travel"], "2026-02-01"), "old": (["travel"], "2019-07-31"), "plain": ([], None)}
    for name, (tags, date) in labelled.items():
        made = entry(name)
        index.add([replace(made, passage=made.passage.model_copy(update={"tags": tags, "date": date}))])

    def found(**bounds: Any) -> list[str]:
        both = index.search("leave", VECTOR, 5, Bounds(["c"], **bounds))
        by_text, by_vector = (
            sorted(passage.passage_id for passage, _ in hits) for hits in (both.by_text, both.by_vector)
        )
        fetched = [passage.passage_id for passage in index.fetch(sorted(labelled), Bounds(["c"], **bounds))]
        assert by_text == by_vector == fetched
        return fetched

    assert found() == ["new", "old", "plain"]
    assert found(tags=["hr", "safety"]) == ["new"]
    assert found(tags=["travel"], until="2019-07-31") == ["old"]
    assert found(since="2019-08-01") == ["new"]
    assert found(since="2019-07-31", until="2026-02-01") == ["new", "old"]
