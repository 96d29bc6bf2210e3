"""Expiring items in SQLite tables, shared by processes."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from selfrag_cli.local.home import connect, open_transaction
from selfrag_cli.local.runner.tasks import Item

SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_items (
    table_name TEXT, key TEXT, item TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (table_name, key));
"""
# Items without an expiry never expire.
_NEVER = 1 << 62


@dataclass(frozen=True)
class ItemTable:
    """A table's name, and the attributes for key and expiry (seconds since the epoch)."""

    name: str
    key: str = "id"
    ends: str = "expires_at"


VERDICTS, ANSWERS = ItemTable("selfrag-verdicts", key="key"), ItemTable("selfrag-answers")
REQUESTS, FEEDBACK = ItemTable("selfrag-requests", ends="expiration"), ItemTable("selfrag-feedback")
_BY_NAME = {table.name: table for table in (VERDICTS, ANSWERS, REQUESTS, FEEDBACK)}


class Items:
    """The items of all tables; thread-safe. Raises Misconfigured for an unusable file."""

    def __init__(self) -> None:
        self._connection, self._lock = connect(SCHEMA), threading.Lock()
        with self._lock, open_transaction(self._connection):
            # DynamoDB deletes expired items within days; here it happens at once.
            self._connection.execute("DELETE FROM kept_items WHERE expires_at <= ?", (time.time(),))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def get(self, table: ItemTable, key: str) -> Item | None:
        """Return the unexpired item with this key, or None."""
        with self._lock, open_transaction(self._connection, "DEFERRED"):
            return self._read(table, key)

    def all(self, table: ItemTable) -> list[Item]:
        """Return the items of a table by their keys."""
        query = "SELECT item FROM kept_items WHERE table_name = ? AND expires_at > ? ORDER BY key"
        with self._lock, open_transaction(self._connection, "DEFERRED"):
            rows = self._connection.execute(query, (table.name, time.time())).fetchall()
        return [json.loads(item) for (item,) in rows]

    def put(self, table: ItemTable, item: Item) -> None:
        """Write an item, replacing its predecessor."""
        self.change(table, item[table.key]["S"], lambda before: item)

    def change(self, table: ItemTable, key: str, change: Callable[[Item | None], Item | None]) -> Item | None:
        """Apply `change` to an item (None writes nothing) and return the old one.

        Both happen in one transaction.
        """
        with self._lock, open_transaction(self._connection):
            before = self._read(table, key)
            item = change(before)
            if item is not None:
                ends = int(float(item[table.ends]["N"])) if table.ends in item else _NEVER
                row = (table.name, key, json.dumps(item), ends)
                self._connection.execute("INSERT OR REPLACE INTO kept_items VALUES (?, ?, ?, ?)", row)
        return before

    def delete(self, table: ItemTable, key: str) -> None:
        """Delete an item, if it exists."""
        with self._lock, open_transaction(self._connection):
            self._connection.execute("DELETE FROM kept_items WHERE table_name = ? AND key = ?", (table.name, key))

    def get_item(self, table: str, key: Item) -> Item | None:
        """Return an item by table name, for a definition."""
        definition = _BY_NAME[table]
        return self.get(definition, key[definition.key]["S"])

    def put_item(self, table: str, item: Item) -> None:
        """Write an item by table name, for a definition."""
        self.put(_BY_NAME[table], item)

    def _read(self, table: ItemTable, key: str) -> Item | None:
        query = "SELECT item FROM kept_items WHERE table_name = ? AND key = ? AND expires_at > ?"
        row = self._connection.execute(query, (table.name, key, time.time())).fetchone()
        return json.loads(row[0]) if row else None
