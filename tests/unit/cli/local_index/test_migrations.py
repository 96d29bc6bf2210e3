"""A home that another release has written is taken over, whatever interrupts it."""

import json
import os
import subprocess
import sys
from contextlib import closing

import numpy as np

from selfrag.domain.passages import Bounds
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
from tests.unit.cli.local_index.made import VECTOR, found, near
from tests.unit.cli.local_index.reading import index_ids

FORMER = """
CREATE TABLE IF NOT EXISTS entries (
    id TEXT PRIMARY KEY, passage_id TEXT NOT NULL UNIQUE, collection TEXT NOT NULL, passage TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_collection ON entries (collection);
CREATE TABLE IF NOT EXISTS generations (collection TEXT PRIMARY KEY, generation INTEGER NOT NULL);
"""


def write_former(count: int) -> list[str]:
    """Return a home as the former release wrote it; gives the index's own ids."""
    with closing(connect(FORMER)) as connection, connection:
        for n in range(count):
            passage = {"passage_id": f"p{n:03}", "document": f"{n}.md", "text": f"Leave {n}.", "title": "Rules"}
            known = {"collection": "c", "tags": ["hr"] if n % 2 else [], "unknown": "of a release to come"}
            vector = np.array([np.cos(n), np.sin(n)], np.float32).tobytes()
            row = (f"own{n:03}", f"p{n:03}", "c", json.dumps(passage | known), vector)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("INSERT OR REPLACE INTO generations VALUES ('c', 7)")
    return [f"own{n:03}" for n in range(count)]


def test_a_home_of_the_former_release_is_taken_over_under_the_same_ids() -> None:
    own_ids = write_former(5)
    with closing(connect(SCHEMA)) as connection:
        index = EmbeddedIndex(connection)
        assert [passage_id for passage_id, _ in found(index, "rules", tags=["hr"])] == ["p001", "p003"]
        assert [passage_id for passage_id, _ in near(index, 1)] == ["p001"]
        (passage,) = index.fetch(["p003"], Bounds(["c"]))
        assert (passage.document, passage.text) == ("3.md", "Leave 3.")
        assert index_ids() == own_ids
        index.delete(own_ids[:4])
        assert [passage_id for passage_id, _ in found(index, "leave")] == ["p004"]


def test_taking_over_a_home_is_ended_by_the_next_process_if_one_is_killed() -> None:
    """The process dies at the 450th vector that it writes, in the middle of a transaction."""
    program = """
import os
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex
left = 450
def die(statement):
    global left
    left -= statement.startswith("INSERT INTO vectors")
    if left < 0:
        os._exit(9)
connection = connect(SCHEMA)
connection.set_trace_callback(die)
EmbeddedIndex(connection)
"""
    own_ids = write_former(700)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 9
    with closing(connect(SCHEMA)) as connection:
        index = EmbeddedIndex(connection)
        assert len(near(index, 1000)) == len(found(index, "rules", size=1000)) == 700
        assert index_ids() == own_ids


def test_what_a_release_before_writes_again_is_taken_over_too() -> None:
    for _ in range(2):
        write_former(3)
        with closing(connect(SCHEMA)) as connection:
            assert len(found(EmbeddedIndex(connection), "leave")) == 3
    assert index_ids() == ["own000", "own001", "own002"]


def test_texts_whose_tokens_were_made_in_another_way_are_split_again() -> None:
    write_former(3)
    with closing(connect(SCHEMA)) as connection, connection:
        index = EmbeddedIndex(connection)
        scores = found(index, "rules leave")
        connection.execute("UPDATE tokenized SET way = 'another'")
        connection.execute("UPDATE texts SET tokens = 'old'")
        connection.execute("UPDATE passages SET length = number")
        connection.execute("UPDATE generations SET generation = generation + 1")
        connection.commit()
        assert found(index, "rules leave") == []
        assert found(EmbeddedIndex(connection), "rules leave") == scores
        assert found(index, "rules leave") == scores
        assert index.search("old", VECTOR, 5, Bounds(["c"])).by_text == []
