"""The embedded index finds passages by text and by vector, within a caller's bounds."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from selfrag.domain.documents import document_id
from selfrag.domain.errors import Misconfigured
from selfrag.domain.passages import Bounds, Passage
from selfrag.retrieval.search import search
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex, open_embedder, open_index
from selfrag_cli.local.sources.source import own_collection, source_to_read
from selfrag_cli.local.stack import DOCUMENTS_BUCKET
from tests.support.best_passages import best
from tests.support.fakes import FakeEmbedder
from tests.support.reading import sync
from tests.unit.cli.local_index.conftest import Write

VECTOR = FakeEmbedder().query("leave")


@pytest.fixture
def index() -> Iterator[EmbeddedIndex]:
    with closing(connect(SCHEMA)) as connection:
        yield EmbeddedIndex(connection)


def indexed(directory: Path) -> str:
    sync(source_to_read(directory), embedder=FakeEmbedder())
    return own_collection(directory)


def documents(found: Sequence[tuple[Passage, float]]) -> list[str]:
    return [passage.document for passage, _ in found]


def by_text(index: EmbeddedIndex, query: str, collection: str, size: int = 50) -> list[str]:
    return documents(index.search(query, VECTOR, size, Bounds([collection])).by_text)


def test_an_empty_index_finds_nothing(index: EmbeddedIndex) -> None:
    found = index.search("leave", VECTOR, 50, Bounds(["no such collection"]))
    assert (found.by_text, found.by_vector) == ([], [])
    assert index.search("leave", VECTOR, 50, Bounds([])).by_vector == []
    assert index.fetch(["no such passage"], Bounds(["no such collection"])) == []


def test_a_passage_carries_all_that_a_citation_needs(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({"people/leave.md": "# Leave\n\nLeave is 25 days.\n"}))
    (passage,) = index.search("days", VECTOR, 1, Bounds([collection])).by_text[0][:1]
    assert passage.model_dump(exclude={"passage_id"}) == {
        "document": "people/leave.md",
        "title": "Leave",
        "text": "Leave\nLeave is 25 days.",
        "collection": collection,
        "heading": "Leave",
        "page": None,
        "locator": "",
        "rows": [],
        "tags": [],
        "date": None,
        "score": None,
        "copies": [],
        "document_id": document_id(DOCUMENTS_BUCKET, f"{collection}/people/leave.md"),
    }
    assert passage.passage_id.isalnum()
    assert len(passage.passage_id) <= 64


@pytest.mark.parametrize("kind", ["md", "txt"])
def test_the_same_bytes_under_two_names_are_one_hit_that_names_both(
    index: EmbeddedIndex, write: Write, kind: str
) -> None:
    text = "# Lathe\n\nWear glasses." if kind == "md" else "Wear glasses at the lathe, and stop the spindle."
    files = {f"lathe.{kind}": text, f"copy-of-lathe.{kind}": text, "press.md": "Wear gloves at the press."}
    bounds = Bounds([indexed(write(files))])
    hits = search(open_index(), [("glasses", VECTOR)], 4, bounds, 0.0).passages
    assert sorted(passage.document for passage in hits if not passage.copies) == ["press.md"]
    (lathe,) = (passage for passage in hits if passage.copies)
    assert {lathe.document, *(copy.document for copy in lathe.copies)} == {f"lathe.{kind}", f"copy-of-lathe.{kind}"}


def test_words_are_found_in_other_forms_in_titles_and_in_file_names(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(
        write({"a.md": "# Allowances\n\nPaid monthly.", "b.md": "# Claims\n\nHe claimed.", "vpn.txt": "Connect first."})
    )
    assert by_text(index, "allowance", collection) == ["a.md"]
    assert by_text(index, "CLAIMING", collection) == ["b.md"]
    assert by_text(index, "vpn", collection) == ["vpn.txt"]


def test_full_text_needs_a_shared_word(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({"a.txt": "Leave is granted.", "b.txt": "Pay day."}))
    assert by_text(index, "granted", collection) == ["a.txt"]
    assert by_text(index, "elephants", collection) == []


@pytest.mark.parametrize("query", ["?!", "the of and", "", "🦆"])
def test_query_without_searchable_words_uses_vectors_only(index: EmbeddedIndex, write: Write, query: str) -> None:
    found = index.search(query, VECTOR, 50, Bounds([indexed(write({"a.txt": "Leave.", "b.txt": "Pay."}))]))
    assert found.by_text == []
    assert len(found.by_vector) == 2


def test_a_query_without_a_vector_is_answered_by_full_text_alone(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({"a.txt": "Leave.", "b.txt": "Pay.", "c.txt": "Leave."}))
    for bounds in (Bounds([collection]), Bounds([collection], documents=["a.txt", "b.txt"])):
        found = index.search("leave", None, 50, bounds)
        assert found.by_vector == []
        assert found.by_text == index.search("leave", VECTOR, 50, bounds).by_text != []


def test_documents_of_nothing_but_stop_words_can_be_indexed(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({"to.the": "x", "it.md": "# It is\n\nTo be or not to be."}))
    assert by_text(index, "to be", collection) == []
    assert len(index.search("to be", VECTOR, 5, Bounds([collection])).by_vector) == 1


def test_the_vector_search_is_exact_and_best_first(index: EmbeddedIndex, write: Write) -> None:
    texts = {f"{n}.txt": f"{word} {word} number {n}" for n, word in enumerate(["leave", "pay", "travel", "buoy"] * 5)}
    collection = indexed(write(texts))
    embedder = FakeEmbedder()
    query = embedder.query("travel number 7")
    found = index.search("", query, 6, Bounds([collection])).by_vector
    cosines = {
        passage.document: np.dot(query, embedder.query(f"{passage.title}\n{passage.text}")) for passage, _ in found
    }
    every = sorted((np.dot(query, embedder.query(f"{name}\n{text}")) for name, text in texts.items()), reverse=True)
    assert [score for _, score in found] == pytest.approx(every[:6], abs=1e-6)
    assert [cosines[passage.document] for passage, _ in found] == pytest.approx(every[:6], abs=1e-6)


def test_no_more_is_found_than_was_asked_for(index: EmbeddedIndex, write: Write) -> None:
    found = index.search("leave", VECTOR, 3, Bounds([indexed(write({f"{n}.txt": f"leave {n}" for n in range(9)}))]))
    assert (len(found.by_text), len(found.by_vector)) == (3, 3)


def test_a_collection_never_sees_the_passages_of_another(index: EmbeddedIndex, write: Write) -> None:
    ours, theirs = indexed(write({"a.txt": "Our leave."})), indexed(write({"a.txt": "Their leave."}, "theirs"))
    found = index.search("leave", VECTOR, 50, Bounds([ours]))
    assert {passage.collection for passage, _ in [*found.by_text, *found.by_vector]} == {ours}
    both = index.search("leave", VECTOR, 50, Bounds([ours, theirs]))
    ids = [passage.passage_id for passage, _ in both.by_text]
    assert len(ids) == 2
    assert {passage.collection for passage in index.fetch(ids, Bounds([theirs]))} == {theirs}


def test_fetch_keeps_requested_order_and_skips_missing_passages(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({"a.txt": "One.", "b.txt": "Two."}))
    one, two = sorted(
        (p for p, _ in index.search("", VECTOR, 9, Bounds([collection])).by_vector), key=lambda p: p.document
    )
    assert index.fetch([two.passage_id, "gone", one.passage_id], Bounds([collection])) == [two, one]


def test_changes_of_another_connection_are_visible_at_once(index: EmbeddedIndex, write: Write) -> None:
    directory = write({"a.txt": "Leave is granted."})
    collection = indexed(directory)
    assert by_text(index, "granted", collection) == ["a.txt"]
    write({"a.txt": "Leave is refused.", "b.txt": "Leave is granted."})
    indexed(directory)
    assert by_text(index, "granted", collection) == ["b.txt"]
    (directory / "b.txt").unlink()
    indexed(directory)
    assert by_text(index, "granted", collection) == []


def test_threads_may_search_at_once(index: EmbeddedIndex, write: Write) -> None:
    collection = indexed(write({f"{n}.txt": f"leave {n}" for n in range(20)}))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: by_text(index, f"leave {n}", collection, 1), range(20)))
    assert found == [[f"{n}.txt"] for n in range(20)]


def test_a_query_of_another_embedder_is_refused_with_a_sentence(index: EmbeddedIndex, write: Write) -> None:
    with pytest.raises(Misconfigured, match=r"another embedder; ingest the directory again\.$"):
        index.search("leave", [1.0, 0.0], 5, Bounds([indexed(write({"a.txt": "Leave."}))]))


def test_the_open_index_and_embedder_are_the_same_ones_every_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = open_index(), open_embedder()
    assert (open_index(), open_embedder()) == first
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "other"))
    assert open_index() is not first[0]


def test_a_japanese_question_finds_the_japanese_passage(write: Write) -> None:
    directory = write(
        {
            "leave.md": "# Annual leave\n\nAn employee receives 26 working days of leave.",
            "travel.md": "# 出張旅費\n\n東京での宿泊費は、1泊21,000円を上限とします。",
            "leave-ja.md": "# 年次有給休暇\n\n有給休暇は、取得日の3営業日前までに申請します。",
            "care.md": "# 健康診断\n\n会社は、年に1回の定期健康診断を実施します。",
        }
    )
    sync(source_to_read(directory))
    query = "有休はいつまでに申請すればよいですか"
    found = open_index().search(query, open_embedder().query(query), 50, Bounds([own_collection(directory)]))
    assert documents(found.by_text)[0] == "leave-ja.md"
    assert best(found, 1)[0].document == "leave-ja.md"
