"""What the laptop keeps between commands: the items of the local DynamoDB tables, and the last executions."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import boto3

from cli.local.aws.resources import TABLES
from cli.local.aws.stack import Execution
from cli.local.home import connect, writing

KEPT_EXECUTIONS = 50
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
    """Fill the local tables with what was kept, and keep what was written to them in the block."""
    for name, _ in TABLES.values():
        _load(name)
    try:
        yield
    finally:
        for name, key in TABLES.values():
            _save(name, key)


def _load(name: str) -> None:
    with _opened() as connection:
        # What DynamoDB deletes within days may go at once here.
        connection.execute("DELETE FROM kept_items WHERE expires_at <= ?", (time.time(),))
        rows = connection.execute("SELECT item FROM kept_items WHERE table_name = ?", (name,)).fetchall()
    client = boto3.client("dynamodb")
    for start in range(0, len(rows), 25):  # 25 items are the most that one batch takes
        puts = [{"PutRequest": {"Item": json.loads(item)}} for (item,) in rows[start : start + 25]]
        client.batch_write_item(RequestItems={name: puts})


def _save(name: str, key: str) -> None:
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=name)
    items = [item for page in pages for item in page["Items"]]
    rows = [(name, item[key]["S"], json.dumps(item), int(item["expires_at"]["N"])) for item in items]
    with _opened() as connection:
        connection.executemany("INSERT OR REPLACE INTO kept_items VALUES (?, ?, ?, ?)", rows)


def has_answer(answer_id: str) -> bool:
    """Whether an answer with this id is kept and not expired."""
    wanted = (TABLES["answers_table"][0], answer_id, time.time())
    with _opened() as connection:
        query = "SELECT 1 FROM kept_items WHERE table_name = ? AND key = ? AND expires_at > ?"
        return connection.execute(query, wanted).fetchone() is not None


def keep_execution(execution: Execution) -> None:
    """Keep an execution's history, and forget the oldest ones."""
    history = json.dumps(execution.history, default=lambda moment: moment.isoformat())
    with _opened() as connection:
        connection.execute("INSERT OR REPLACE INTO executions VALUES (?, ?, ?)", (execution.id, time.time(), history))
        connection.execute(
            "DELETE FROM executions WHERE id NOT IN (SELECT id FROM executions ORDER BY ended_at DESC LIMIT ?)",
            (KEPT_EXECUTIONS,),
        )


def last_history(execution_id: str = "") -> list[dict[str, Any]] | None:
    """The history of the execution with this id, or of the last one; None if there is none."""
    where, wanted = ("WHERE id = ?", (execution_id,)) if execution_id else ("", ())
    with _opened() as connection:
        row = connection.execute(
            f"SELECT history FROM executions {where} ORDER BY ended_at DESC LIMIT 1",  # noqa: S608 (no input in it)
            wanted,
        ).fetchone()
    return json.loads(row[0]) if row else None
