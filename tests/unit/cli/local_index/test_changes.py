"""The index takes changes while it is searched, and reads no more than it needs."""

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag.domain.passages import Bounds
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.unit.cli.local_index.made import VECTOR, entry, found, near


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(connect(SCHEMA)) as opened:
        yield opened


@pytest.fixture
def index(connection: sqlite3.Connection) -> EmbeddedIndex:
    return EmbeddedIndex(connection)


def test_a_change_is_found_without_the_rest_being_read_again(
    index: EmbeddedIndex, connection: sqlite3.Connection
) -> None:
    index.add([entry(f"p{n}", angle=n) for n in range(5)])
    before = near(index)
    with connection:
        connection.execute("DELETE FROM vectors")
    with closing(connect(SCHEMA)) as another:
        added = EmbeddedIndex(another).add([entry("new", angle=0.9273)])
        assert near(index) == [("new", pytest.approx(1)), *before]
        EmbeddedIndex(another).delete(added.ids.values())
    assert near(index) == before


def test_only_what_is_found_is_read_whole(index: EmbeddedIndex, connection: sqlite3.Connection) -> None:
    index.add([entry(f"p{n}", "Pay." if n else "Leave.", angle=n, tags=["t"] if n == 3 else []) for n in range(5)])
    with connection:
        where = "rowid IN (SELECT number FROM passages WHERE passage_id = 'p4')"
        connection.execute(f"UPDATE texts SET passage = 'unreadable' WHERE {where}")
    assert [passage_id for passage_id, _ in near(index, 2)] == ["p1", "p0"]
    assert [passage_id for passage_id, _ in found(index, "leave")] == ["p0"]
    assert [passage_id for passage_id, _ in found(index, "pay", tags=["t"])] == ["p3"]


def test_index_after_many_changes_matches_fresh_index(index: EmbeddedIndex) -> None:
    chance, ids = random.Random(0), dict[str, str]()
    for turn, (added, removed) in enumerate([(1500, 0), (3, 400), (0, 1), (200, 700), (0, 602), (5, 0)]):
        ids |= index.add([entry(f"p{turn}-{n}", f"Leave {n}.", angle=n * 0.01) for n in range(added)]).ids
        index.delete([ids.pop(name) for name in chance.sample(sorted(ids), removed)])
        with closing(connect(SCHEMA)) as another:
            anew = EmbeddedIndex(another)
            assert near(index, 2000) == near(anew, 2000)
            assert found(index, "leave 7") == found(anew, "leave 7")
        assert {passage_id for passage_id, _ in near(index, 2000)} == set(ids)


def test_vectors_of_another_embedder_are_refused_until_all_are_new(index: EmbeddedIndex) -> None:
    own = index.add([entry("p1"), entry("p2")]).ids
    assert len(near(index)) == 2
    index.add([replace(entry("p3"), vector=[1.0, 0.0, 0.0])])
    with closing(connect(SCHEMA)) as another:
        for opened in (index, index, EmbeddedIndex(another)):
            with pytest.raises(Misconfigured, match="several embedders; ingest the directories again"):
                near(opened)
    index.delete(own.values())
    (only,) = index.search("", [1.0, 0.0, 0.0], 5, Bounds(["c"])).by_vector
    assert only[0].passage_id == "p3"


def test_search_sees_other_process_write_whole_or_not_at_all(index: EmbeddedIndex) -> None:
    program = """
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.unit.cli.local_index.made import entry
index = EmbeddedIndex(connect(SCHEMA))
for turn in range(150):
    index.add([entry(f"p{n}", f"Turn {turn}.") for n in range(3)])
"""
    index.add([entry(f"p{n}", "Turn 0.") for n in range(3)])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as writing:
        while writing.poll() is None:
            both = index.search("turn", VECTOR, 9, Bounds(["c"]))
            assert len({passage.text for passage, _ in [*both.by_text, *both.by_vector]}) == 1
            assert (len(both.by_text), len(both.by_vector)) == (3, 3)
    assert writing.returncode == 0
