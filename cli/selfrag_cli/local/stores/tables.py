"""Tables of items with an end, in the home's SQLite file; several processes may use them at once."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.home import connect, explain, writing
from selfrag_cli.local.runner.tasks import Item

SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_items (
    table_name TEXT, key TEXT, item TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (table_name, key));
"""
# An item without an end of its own is kept as long as the table is.
_NEVER = 1 << 62


@dataclass(frozen=True)
class ItemTable:
    """A table's name, and the attributes that hold an item's key and its end (seconds since the epoch)."""

    name: str
    key: str = "id"
    ends: str = "expires_at"


VERDICTS, ANSWERS = ItemTable("selfrag-verdicts", key="key"), ItemTable("selfrag-answers")
REQUESTS, FEEDBACK = ItemTable("selfrag-requests", ends="expiration"), ItemTable("selfrag-feedback")
_BY_NAME = {table.name: table for table in (VERDICTS, ANSWERS, REQUESTS, FEEDBACK)}


class Items:
    """The items of all tables; any thread may use them. Raises Misconfigured for a file that cannot be used."""

    def __init__(self) -> None:
        self._connection, self._lock = connect(SCHEMA), threading.Lock()
        with self._lock, writing(self._connection):
            # What DynamoDB deletes within days may go at once here.
            self._connection.execute("DELETE FROM kept_items WHERE expires_at <= ?", (time.time(),))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def get(self, table: ItemTable, key: str) -> Item | None:
        """Return the item with this key, or None if there is none or its end has come."""
        with self._lock, _usable():
            return self._read(table, key)

    def all(self, table: ItemTable) -> list[Item]:
        """Return the items of a table by their keys."""
        query = "SELECT item FROM kept_items WHERE table_name = ? AND expires_at > ? ORDER BY key"
        with self._lock, _usable():
            rows = self._connection.execute(query, (table.name, time.time())).fetchall()
        return [json.loads(item) for (item,) in rows]

    def put(self, table: ItemTable, item: Item) -> None:
        """Write an item, in place of one with its key."""
        self.change(table, item[table.key]["S"], lambda before: item)

    def change(self, table: ItemTable, key: str, change: Callable[[Item | None], Item | None]) -> Item | None:
        """Write what `change` makes of an item, nothing if it gives None; return the item as it was before.

        Both are one transaction: no other process writes in between.
        """
        with self._lock, _usable(), writing(self._connection):
            before = self._read(table, key)
            item = change(before)
            if item is not None:
                ends = int(float(item[table.ends]["N"])) if table.ends in item else _NEVER
                row = (table.name, key, json.dumps(item), ends)
                self._connection.execute("INSERT OR REPLACE INTO kept_items VALUES (?, ?, ?, ?)", row)
        return before

    def delete(self, table: ItemTable, key: str) -> None:
        """Delete an item; one that is not there is no error."""
        with self._lock, _usable(), writing(self._connection):
            self._connection.execute("DELETE FROM kept_items WHERE table_name = ? AND key = ?", (table.name, key))

    def get_item(self, table: str, key: Item) -> Item | None:
        """Return the item with this key of the table with this name, as a definition asks for it."""
        definition = _BY_NAME[table]
        return self.get(definition, key[definition.key]["S"])

    def put_item(self, table: str, item: Item) -> None:
        """Write an item into the table with this name, as a definition does."""
        self.put(_BY_NAME[table], item)

    def _read(self, table: ItemTable, key: str) -> Item | None:
        query = "SELECT item FROM kept_items WHERE table_name = ? AND key = ? AND expires_at > ?"
        row = self._connection.execute(query, (table.name, key, time.time())).fetchone()
        return json.loads(row[0]) if row else None


@contextmanager
def opened_items() -> Iterator[Items]:
    """Open the tables for a block."""
    items = Items()
    try:
        yield items
    finally:
        items.close()


@contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise Misconfigured(explain(error)) from error
