"""What the laptop keeps between commands: the items of the local DynamoDB tables, and the last executions."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from cli.local.aws.resources import FEEDBACK_TABLE, REQUESTS_TABLE, TABLES
from cli.local.home import connect, writing

KEPT_EXECUTIONS = 50
# The tables, each with the attribute that says when an item ends; Powertools writes that of requests.
_KEPT = {name: "expires_at" for name, _ in TABLES.values()}
_KEPT |= {REQUESTS_TABLE: "expiration", FEEDBACK_TABLE: "expires_at"}
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_items (
    table_name TEXT, key TEXT, item TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (table_name, key));
CREATE TABLE IF NOT EXISTS executions (id TEXT PRIMARY KEY, ended_at REAL NOT NULL, history TEXT NOT NULL);
"""


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    with closing(connect(_SCHEMA)) as connection, writing(connection):
        yield connection


@contextmanager
def kept_tables() -> Iterator[None]:
    """Have the items of the running stack's tables in the home directory; several processes may have the same."""
    # It loads moto, which whoever looks at an execution does not need.
    from cli.local.aws.tables import items_on_disk

    with closing(connect(_SCHEMA)) as connection:
        with writing(connection):
            # What DynamoDB deletes within days may go at once here.
            connection.execute("DELETE FROM kept_items WHERE expires_at <= ?", (time.time(),))
        with items_on_disk(connection, _KEPT):
            yield


def has_answer(question_id: str) -> bool:
    """Whether the answer to the question with this id is kept and not expired."""
    wanted = (TABLES["answers_table"][0], question_id, time.time())
    with _opened() as connection:
        query = "SELECT 1 FROM kept_items WHERE table_name = ? AND key = ? AND expires_at > ?"
        return connection.execute(query, wanted).fetchone() is not None


def kept_feedback() -> list[dict[str, Any]]:
    """The items of the table of feedback."""
    with _opened() as connection:
        rows = connection.execute("SELECT item FROM kept_items WHERE table_name = ? ORDER BY key", (FEEDBACK_TABLE,))
        return [json.loads(item) for (item,) in rows]


def keep_execution(question_id: str, events: list[dict[str, Any]]) -> None:
    """Keep the history of a question's execution, and forget the oldest ones."""
    history = json.dumps(events, default=lambda moment: moment.isoformat())
    with _opened() as connection:
        connection.execute("INSERT OR REPLACE INTO executions VALUES (?, ?, ?)", (question_id, time.time(), history))
        connection.execute(
            "DELETE FROM executions WHERE id NOT IN (SELECT id FROM executions ORDER BY ended_at DESC LIMIT ?)",
            (KEPT_EXECUTIONS,),
        )


def last_execution(question_id: str = "") -> tuple[str, list[dict[str, Any]]] | None:
    """The id and the history of the question with this id, or of the last one; None if there is none."""
    where, wanted = ("WHERE id = ?", (question_id,)) if question_id else ("", ())
    with _opened() as connection:
        row = connection.execute(
            f"SELECT id, history FROM executions {where} ORDER BY ended_at DESC LIMIT 1",  # noqa: S608 (no input in it)
            wanted,
        ).fetchone()
    return (row[0], json.loads(row[1])) if row else None


def kept_executions() -> list[list[dict[str, Any]]]:
    """The histories of the last questions, the latest first."""
    with _opened() as connection:
        rows = connection.execute("SELECT history FROM executions ORDER BY ended_at DESC").fetchall()
    return [json.loads(history) for (history,) in rows]
