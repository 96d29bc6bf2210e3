"""Documents are found by their words at once; vectors follow, those that are needed most first."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import time_machine

from selfrag.domain.passages import Bounds
from selfrag.domain.questions import Filters
from selfrag.domain.steps import RetrieveTask
from selfrag.question.retrieve.logic import retrieve
from selfrag.retrieval.search import search
from selfrag_cli.local.home import connect, hold_lock
from selfrag_cli.local.index import SCHEMA, CachedEmbedder, EmbeddedIndex, open_index
from selfrag_cli.local.index.backfill import embed_passages, embed_pending
from selfrag_cli.local.sources.source import own_collection, source_to_read
from selfrag_cli.local.sources.sync import SMALL, Busy, embed_all, embed_for, read, refuse_to_wait
from tests.support.fakes import FakeEmbedder
from tests.support.reading import cached
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.made import entry

WAITING = "Found by words alone: {}% of the passages are read for their meaning so far; ask again later."
LEAVE, PAY = "Leave is 25 days a year.", "Pay day is the 25th."


def read_only(directory: Path) -> str:
    """Read a directory without embedding it; return its collection."""
    read(source_to_read(directory), embedder=cached(FakeEmbedder()))
    return own_collection(directory)


def warnings(collection: str) -> Sequence[str]:
    return open_index().search("", None, 1, Bounds([collection])).warnings


def test_read_documents_are_found_by_words_before_embedding(write: Write) -> None:
    collection = read_only(write({"a.txt": LEAVE, "b.txt": PAY}))
    result = search(open_index(), [("leave", FakeEmbedder().query("leave"))], 4, Bounds([collection]), 0.0)
    assert [passage.document for passage in result.passages] == ["a.txt"]
    assert (result.by_vector, result.warnings) == ({}, [WAITING.format(0)])
    embed_all(collection, embedder=cached(FakeEmbedder()))
    result = search(open_index(), [("leave", FakeEmbedder().query("leave"))], 4, Bounds([collection]), 0.0)
    assert (len(result.by_vector), result.warnings) == (2, [])


def test_words_alone_rank_until_first_embedding_is_complete(write: Write) -> None:
    directory = write({f"{n:03}.txt": f"Leave in year {n}. {LEAVE}" for n in range(20)})
    collection, question, bounds = read_only(directory), "leave in year 7", Bounds([own_collection(directory)])

    def state() -> tuple[list[str], bool, Sequence[str]]:
        hits = search(open_index(), [(question, FakeEmbedder().query(question))], 4, bounds, 0.0)
        return [passage.document for passage in hits.passages], bool(hits.by_vector), hits.warnings

    by_words = state()[0]
    waiting, stopped = open_index().find_unembedded(collection), threading.Event()
    embedder = cached(FakeEmbedder())
    embed_passages(open_index(), embedder, [passage.number for passage in waiting[:2]])
    assert state() == (by_words, False, [WAITING.format(10)])
    for _ in embed_pending(open_index(), embedder, collection, lambda document: 0.0, stopped):
        stopped.set()
    first, ranked_by_vector, (warning,) = state()
    assert (first, ranked_by_vector) == (by_words, False)
    assert re.fullmatch(WAITING.format(50).replace("later", "in about [0-9]+ minutes?"), warning)
    list(embed_pending(open_index(), embedder, collection, lambda document: 0.0))
    assert state()[1:] == (True, [])
    write({"new.txt": "The seventh year of leave is 7."})
    read_only(directory)
    found, ranked_by_vector, (warning,) = state()
    assert (found[0], ranked_by_vector) == ("new.txt", True)
    assert warning == "95% of the passages are read for their meaning so far; ask again later."


def test_minutes_left_come_from_a_current_embedding_only() -> None:
    with closing(connect(SCHEMA)) as connection:
        index = EmbeddedIndex(connection)
        index.add([type(each)(each.passage, []) for each in [entry("p")]])

        def state() -> str:
            (warning,) = index.search("", None, 1, Bounds(["c"])).warnings
            return warning

        assert state() == WAITING.format(0)
        for left, again in {1.0: "in about 1 minute", 61.0: "in about 2 minutes", 300.0: "in about 5 minutes"}.items():
            index.note_backfill("c", left)
            assert state() == WAITING.format(0).replace("later", again)
        with time_machine.travel(time.time() + 600):
            assert state() == WAITING.format(0)


def test_an_answer_says_how_many_passages_are_embedded(write: Write) -> None:
    collection = read_only(write({f"{n}.txt": f"Leave in year {n}." for n in range(1234)}))
    task = RetrieveTask(queries=["leave"], top_k=2, collections=[collection], filters=Filters(), bytes_used=0)
    retrieved = retrieve(task, open_index(), FakeEmbedder())
    assert retrieved.warnings == [WAITING.format(0)]
    assert len(retrieved.passages) == 2


def test_passages_found_by_question_are_embedded_first_then_newest_documents(write: Write) -> None:
    long = " ".join(f"Rule {n}: {'words ' * 60}." for n in range(40))
    directory = write({"old.txt": PAY, "new.txt": PAY + " New.", "asked.txt": f"{long}\n\nThe forklift is red."})
    for age, name in enumerate(("new.txt", "asked.txt", "old.txt")):
        os.utime(directory / name, (1e9 - age, 1e9 - age))
    collection, embedder = read_only(directory), FakeEmbedder()
    open_index().search("forklift", embedder.query("forklift"), 5, Bounds([collection]))
    embed_all(collection, embedder=cached(embedder))
    assert "forklift" in embedder.embedded[0]
    names = [text.split("\n")[0] for text in embedder.embedded]
    assert names[-2:] == ["new.txt", "old.txt"]
    assert set(names[:-2]) == {"asked.txt"}


def test_the_same_bytes_under_two_names_are_embedded_once(write: Write) -> None:
    collection, embedder = read_only(write({"lathe.txt": LEAVE, "sub/copy.txt": LEAVE, "c.md": PAY})), FakeEmbedder()
    embed_all(collection, embedder=cached(embedder))
    assert sorted(text.split("\n")[1] for text in embedder.embedded) == [LEAVE, PAY]
    assert warnings(collection) == []


def test_a_passage_that_is_removed_while_it_is_embedded_leaves_no_vector(write: Write) -> None:
    class Removing(FakeEmbedder):
        def passages(self, texts: list[str]) -> list[list[float]]:  # type: ignore[override]
            index.delete(ids.values())
            return super().passages(texts)

    with closing(connect(SCHEMA)) as connection:
        index = EmbeddedIndex(connection)
        entries = [entry(f"p{n}") for n in range(3)]
        ids = index.add([type(each)(each.passage, []) for each in entries]).ids
        list(embed_pending(index, CachedEmbedder(Removing(), connection), "c", lambda document: 0.0))
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)


@pytest.mark.parametrize(("more", "embedded"), [(0, SMALL), (1, 1)])
def test_small_collection_is_embedded_first_and_large_one_on_demand(write: Write, more: int, embedded: int) -> None:
    texts = {f"{n}.txt": f"Leave in year {n}." for n in range(SMALL - 1 + more)}
    collection, embedder = read_only(write({**texts, "forklift.txt": "It is red."})), FakeEmbedder()
    embed_for("What colour is the forklift?", collection, lambda progress: None, cached(embedder))
    assert len(embedder.embedded) == embedded
    assert "forklift.txt\nIt is red." in embedder.embedded


def test_a_process_says_at_once_which_other_one_it_waits_for(write: Write) -> None:
    program = """
import sys
from selfrag_cli.local.home import hold_lock
with hold_lock("documents"):
    print("locked", flush=True)
    sys.stdin.read()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(Busy) as refused, hold_lock("documents", refuse_to_wait):
            pass
        waited: list[int] = []

        def end_it(process: int) -> None:
            waited.append(process)
            other.communicate()

        with hold_lock("documents", end_it):
            pass
        assert waited == [refused.value.process] == [other.pid]
