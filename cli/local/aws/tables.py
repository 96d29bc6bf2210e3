"""Tables of the local DynamoDB whose items are on disk, and not in memory: several processes may have the same ones.

moto asks a table's dictionary for its items; here that dictionary is a table of the home's SQLite file. A request that
writes is one transaction, so that a condition and the write that hangs on it are one thing for all processes.
"""

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from moto.core.botocore_stubber import BotocoreStubber
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from cli.local.home import writing
from selfrag.domain.errors import Misconfigured

SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_items (
    table_name TEXT, key TEXT, item TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (table_name, key));
"""
_REQUEST = re.compile(r"https://dynamodb\.")
_READS = ("GetItem", "BatchGetItem", "Query", "Scan", "DescribeTable")
# What DynamoDB answers when it is the one that fails: whoever asks knows what to do then.
_FAILED: tuple[int, dict[str, str], str] = (
    500,
    {},
    json.dumps({"__type": "InternalServerError", "message": "the items on disk cannot be used"}),
)
# An item without an end of its own is kept as long as the table is.
_NEVER = 1 << 62


class KeptItems(MutableMapping[DynamoType, Item]):
    """The items of one table with a simple key, a string, as moto's dictionary of them; `ends` names their expiry."""

    def __init__(self, connection: sqlite3.Connection, table: str, ends: str) -> None:
        self._connection, self._table, self._ends = connection, table, ends
        # moto changes an item in place to update it, so what a request was given may have to be written.
        self._given: dict[str, tuple[Item, str]] = {}

    def flush(self) -> None:
        """Write what has been changed in place."""
        for item, before in list(self._given.values()):
            if _text(item) != before:
                self[item.hash_key] = item

    def forget(self) -> None:
        """Know nothing of what the request was given, which is over."""
        self._given.clear()

    def __getitem__(self, key: DynamoType) -> Item:
        if key.value not in self._given:
            query = "SELECT item FROM kept_items WHERE table_name = ? AND key = ?"
            row = self._connection.execute(query, (self._table, key.value)).fetchone()
            if row is None:
                raise KeyError(key)
            self._given[key.value] = Item(key, None, json.loads(row[0])), row[0]
        return self._given[key.value][0]

    def __setitem__(self, key: DynamoType, item: Item) -> None:
        text = _text(item)
        expires_at = int(item.attrs[self._ends].value) if self._ends in item.attrs else _NEVER
        row = (self._table, key.value, text, expires_at)
        self._connection.execute("INSERT OR REPLACE INTO kept_items VALUES (?, ?, ?, ?)", row)
        self._given[key.value] = item, text

    def __delitem__(self, key: DynamoType) -> None:
        self[key]
        del self._given[key.value]
        self._connection.execute("DELETE FROM kept_items WHERE table_name = ? AND key = ?", (self._table, key.value))

    def __iter__(self) -> Iterator[DynamoType]:
        rows = self._connection.execute("SELECT key FROM kept_items WHERE table_name = ?", (self._table,)).fetchall()
        return (DynamoType({"S": key}) for (key,) in rows)

    def __len__(self) -> int:
        query = "SELECT count(*) FROM kept_items WHERE table_name = ?"
        return int(self._connection.execute(query, (self._table,)).fetchone()[0])


@contextmanager
def items_on_disk(connection: sqlite3.Connection, tables: Mapping[str, str]) -> Iterator[None]:
    """Have the items of these tables of the running local AWS on disk; each table's name with that of its expiry."""
    backend: Any = dynamodb_backends[DEFAULT_ACCOUNT_ID]["us-east-1"]
    kept = [KeptItems(connection, name, ends) for name, ends in tables.items()]
    for items, name in zip(kept, tables, strict=True):
        backend.get_table(name).items = items
    on_disk = _OnDisk(BotocoreStubber.process_request, connection, kept)
    with patch.object(BotocoreStubber, "process_request", lambda self, request: on_disk.process(self, request)):
        try:
            yield
        finally:
            on_disk.end()


class _OnDisk:
    """Requests to DynamoDB, one at a time, each with the connection to itself; after the end each of them fails."""

    def __init__(self, process: Callable[..., Any], connection: sqlite3.Connection, kept: list[KeptItems]) -> None:
        self._process, self._connection, self._kept = process, connection, kept
        self._lock = threading.RLock()
        self._ended = False

    def end(self) -> None:
        """Let the connection be closed: no request uses it any more."""
        with self._lock:
            self._ended = True

    def process(self, stubber: Any, request: Any) -> Any:
        """What moto replies, when all that it has changed is written."""
        if not _REQUEST.match(request.url):
            return self._process(stubber, request)
        with self._lock:
            try:
                return _FAILED if self._ended else self._reply(stubber, request)
            except (Misconfigured, sqlite3.Error):
                return _FAILED
            finally:
                for items in self._kept:
                    items.forget()

    def _reply(self, stubber: Any, request: Any) -> Any:
        if _is_read(request):
            return self._process(stubber, request)
        with writing(self._connection):
            reply = self._process(stubber, request)
            for items in self._kept:
                items.flush()
        return reply


def _is_read(request: Any) -> bool:
    target = request.headers.get("X-Amz-Target", "")
    return (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2] in _READS


def _text(item: Item) -> str:
    return json.dumps({name: value.to_regular_json() for name, value in item.attrs.items()}, ensure_ascii=False)
