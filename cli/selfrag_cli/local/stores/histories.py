"""The histories of the last executions in the home, for traces of questions that have ended."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Lock

from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.local.home import connect, writing

KEPT_EXECUTIONS = 50
_SCHEMA = """
CREATE TABLE IF NOT EXISTS executions (id TEXT PRIMARY KEY, ended_at REAL NOT NULL, history TEXT NOT NULL);
"""
# SQLite closes no file of a process that has another connection with a lock, so each of many at once would stay open.
_LOCK = Lock()


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    with _LOCK, closing(connect(_SCHEMA)) as connection, writing(connection):
        yield connection


def keep_history(history: ExecutionHistory) -> None:
    """Store the history of a question's execution, and delete the oldest ones."""
    with _opened() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO executions VALUES (?, ?, ?)", (history.id, time.time(), json.dumps(history.events))
        )
        connection.execute(
            "DELETE FROM executions WHERE id NOT IN (SELECT id FROM executions ORDER BY ended_at DESC LIMIT ?)",
            (KEPT_EXECUTIONS,),
        )


def delete_history(question_id: str) -> None:
    """Delete the history of a question's execution; one that is not there is no error."""
    with _opened() as connection:
        connection.execute("DELETE FROM executions WHERE id = ?", (question_id,))


def last_history(question_id: str = "") -> ExecutionHistory | None:
    """Return the history of the question with this id, or of the last one; None if there is none."""
    where, values = ("WHERE id = ?", (question_id,)) if question_id else ("", ())
    with _opened() as connection:
        row = connection.execute(
            f"SELECT id, history FROM executions {where} ORDER BY ended_at DESC LIMIT 1",  # noqa: S608 (no input in it)
            values,
        ).fetchone()
    return ExecutionHistory(row[0], json.loads(row[1])) if row else None
