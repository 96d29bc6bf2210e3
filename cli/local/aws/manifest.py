"""The manifest on disk: what the local table of documents holds between commands, written when the table is."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from cli.local.home import connect, writing
from selfrag.adapters.items import record_of
from selfrag.domain.records import Record

Item = dict[str, Any]

SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_documents (
    id TEXT, part TEXT, collection TEXT, item TEXT NOT NULL, PRIMARY KEY (id, part));
CREATE INDEX IF NOT EXISTS kept_documents_by_collection ON kept_documents (collection);
"""
# Who held a document when its command ended has died with it.
_CLAIM = ("lease_owner", "lease_until", "lease_deletion", "look_again")


class KeptManifest:
    """The items of documents, in SQLite; any thread may use it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def records(self, collection: str) -> dict[str, Record]:
        """What is known of each document of a collection, by key; those that were removed are left out."""
        rows = self._rows("collection = ?", collection)
        found = {record.key: record for record in map(record_of, rows)}
        return {key: found[key] for key in sorted(found) if found[key].status != "removed"}

    def items(self, document_id: str) -> list[Item]:
        """The items of a document, claimed by nobody."""
        return [_unclaimed(item) for item in self._rows("id = ?", document_id)]

    def items_of(self, collection: str) -> list[Item]:
        """The items of all documents of a collection, claimed by nobody."""
        return [
            _unclaimed(item)
            for item in self._rows("id IN (SELECT id FROM kept_documents WHERE collection = ?)", collection)
        ]

    def put(self, item: Item) -> None:
        """Keep an item as it is now."""
        row = (item["id"]["S"], item["part"]["S"], item.get("collection", {}).get("S"), json.dumps(item))
        with self._lock, writing(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO kept_documents VALUES (?, ?, ?, ?)", row)

    def delete(self, key: Item) -> None:
        """Forget an item."""
        with self._lock, writing(self._connection):
            wanted = (key["id"]["S"], key["part"]["S"])
            self._connection.execute("DELETE FROM kept_documents WHERE id = ? AND part = ?", wanted)

    def _rows(self, where: str, value: str) -> list[Item]:
        query = f"SELECT item FROM kept_documents WHERE {where} ORDER BY id, part"  # noqa: S608 (no input in it)
        with self._lock:
            return [json.loads(item) for (item,) in self._connection.execute(query, (value,))]


class KeepingClient:
    """A client of DynamoDB whose writes to the manifest are kept on disk when they have happened."""

    def __init__(self, client: Any, kept: KeptManifest) -> None:
        self._client, self._kept = client, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_item(self, **request: Any) -> Any:
        """As DynamoDB's."""
        reply = self._client.put_item(**request)
        self._kept.put(request["Item"])
        return reply

    def update_item(self, **request: Any) -> Any:
        """As DynamoDB's."""
        reply = self._client.update_item(**request, ReturnValues="ALL_NEW")
        self._kept.put(reply["Attributes"])
        return reply

    def delete_item(self, **request: Any) -> Any:
        """As DynamoDB's."""
        reply = self._client.delete_item(**request)
        self._kept.delete(request["Key"])
        return reply


@contextmanager
def kept_manifest() -> Iterator[KeptManifest]:
    """The manifest in the home directory."""
    with closing(connect(SCHEMA)) as connection:
        yield KeptManifest(connection)


def _unclaimed(item: Item) -> Item:
    return {name: value for name, value in item.items() if name not in _CLAIM}
