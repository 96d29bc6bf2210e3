"""Migrations of an index that another release has written: one of a single table, or with tokens made otherwise."""

import sqlite3

from selfrag.domain.passages import Passage
from selfrag_cli.local.home import writing
from selfrag_cli.local.index.store import put, words_of
from selfrag_cli.local.index.tokens import WAY

_FORMER = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'entries'"
_WAY = "SELECT way FROM tokenized"
# So many passages are moved at a time: other processes can write in between.
_CHUNK = 200


def migrate(connection: sqlite3.Connection) -> None:
    """Move the passages of the former release, and tokenize all texts again if tokens are made otherwise now.

    A process that is killed leaves every passage in one of the two places; the next one goes on.
    """
    while _move(connection):
        pass
    if connection.execute(_WAY).fetchone() != (WAY,):
        with writing(connection):
            _tokenize_again(connection)


def _move(connection: sqlite3.Connection) -> bool:
    """Move some passages; return whether there may be more."""
    if connection.execute(_FORMER).fetchone() == (0,):
        return False
    with writing(connection):
        if connection.execute(_FORMER).fetchone() == (0,):
            return False
        rows = connection.execute("SELECT id, passage, vector FROM entries LIMIT ?", (_CHUNK,)).fetchall()
        for own_id, passage, vector in rows:
            put(connection, own_id, Passage.model_validate_json(passage, extra="ignore"), vector)
        connection.executemany("DELETE FROM entries WHERE id = ?", [(own_id,) for own_id, *_ in rows])
        if not rows:
            connection.execute("DROP TABLE entries")
    return bool(rows)


def _tokenize_again(connection: sqlite3.Connection) -> None:
    # Another process may have done it while this one waited.
    if connection.execute(_WAY).fetchone() == (WAY,):
        return
    for (number,) in connection.execute("SELECT number FROM passages").fetchall():
        (shown,) = connection.execute("SELECT passage FROM texts WHERE rowid = ?", (number,)).fetchone()
        words = words_of(Passage.model_validate_json(shown, extra="ignore"))
        connection.execute("UPDATE texts SET tokens = ? WHERE rowid = ?", (" ".join(words), number))
        connection.execute("UPDATE passages SET length = ? WHERE number = ?", (len(words), number))
    connection.execute("UPDATE generations SET generation = generation + 1")
    connection.execute("DELETE FROM tokenized")
    connection.execute("INSERT INTO tokenized VALUES (?)", (WAY,))
