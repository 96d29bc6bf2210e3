"""The local manifest: records of documents and their indexed passages.

One process at a time works on a collection (`home.alone`), and once on each document, so claims never conflict:
leftovers of a dead process are void.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import override

from selfrag.domain.records import Record, StoredPart, part_name
from selfrag.ports.manifest import Manifest
from selfrag_cli.local.home import connect, open_transaction
from selfrag_cli.local.runner.tasks import item_of, values_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS kept_documents (
    id TEXT, part TEXT, collection TEXT, item TEXT NOT NULL, PRIMARY KEY (id, part));
CREATE INDEX IF NOT EXISTS kept_documents_by_collection ON kept_documents (collection);
"""
_DOCUMENT = "document"
_KEY, _STATUS = "json_extract(item, '$.key.S')", "json_extract(item, '$.status.S')"
_PART = TypeAdapter(StoredPart)

Values = dict[str, Any]


class LocalManifest(Manifest):
    """Records and parts in SQLite; thread-safe."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._lock = connection, threading.Lock()

    @override
    def read(self, document_id: str) -> Record | None:
        rows = self._rows("id = ? AND part = ?", document_id, _DOCUMENT)
        return _record(rows[0]) if rows else None

    def records(self, collection: str) -> dict[str, Record]:
        """Return a collection's records by key, without removed ones."""
        records = sorted(map(_record, self._rows("collection = ?", collection)), key=lambda record: record.key)
        return {record.key: record for record in records if record.status != "removed"}

    @override
    def list_documents(
        self, collection: str, limit: int, after: tuple[str, str] | None = None
    ) -> tuple[list[Record], tuple[str, str] | None]:
        where = f"collection = ? AND {_STATUS} <> 'removed' AND ({_KEY}, id) > (?, ?)"
        rows = self._rows(f"{where} ORDER BY {_KEY}, id LIMIT {limit + 1}", collection, *(after or ("", "")))
        page = [_record(values) for values in rows[:limit]]
        return page, (page[-1].key, page[-1].id) if len(rows) > limit else None

    @override
    def claim(self, document_id: str, key: str, collection: str, owner: str) -> bool:
        """Claim a document and record the deletion seen; always succeeds here."""
        claim = {"key": key, "collection": collection}
        self._change(document_id, lambda values: {**values, **claim, "lease_deletion": values.get("deleted_at", 0)})
        return True

    @override
    def begin_deletion(self, document_id: str, at: int) -> None:
        self._change(document_id, lambda values: {**values, "deleted_at": at} if values else None)

    @override
    def undo_deletion(self, document_id: str, at: int) -> None:
        self._change(
            document_id, lambda values: {**values, "deleted_at": 0} if values.get("deleted_at") == at else None
        )

    @override
    def release(self, record: Record, owner: str) -> bool:
        """Write the record and release the claim; always succeeds here, since no event can intervene."""
        stated = record.model_dump(exclude={"id", "deleted_at", "deletion_seen"})

        def let_go(values: Values) -> Values:
            seen = values.pop("lease_deletion", 0)
            return {**values, **stated, "deletion_seen": seen}

        self._change(record.id, let_go)
        return True

    def mark(self, document_id: str, key: str, collection: str, status: str, reason: str = "") -> None:
        """Set a document's status before it is read or if it is unreadable, keeping index data."""
        marked: Values = {"key": key, "collection": collection, "status": status, "reason": reason}
        marked |= {"updated_at": int(time.time()), "deleted_at": 0}
        self._change(document_id, lambda values: {**values, **marked})

    def withdraw_suggestion(self, document_id: str) -> None:
        """Remove a document's suggested question."""
        self._change(document_id, lambda values: {**values, "suggestion": None})

    @override
    def parts(self, document_id: str) -> list[StoredPart]:
        return [_part(values) for values in self._rows("id = ? AND part <> ? ORDER BY part", document_id, _DOCUMENT)]

    @override
    def part(self, document_id: str, generation: str, number: int) -> StoredPart | None:
        rows = self._rows("id = ? AND part = ?", document_id, part_name(generation, number))
        return _part(rows[0]) if rows else None

    @override
    def put(self, part: StoredPart) -> None:
        values: Values = {"id": part.document_id, "part": part.name, "passage_ids": part.passage_ids, "ids": part.ids}
        if part.writing_since is not None:
            values["writing_since"] = str(part.writing_since)
        with self._lock, open_transaction(self._connection):
            self._write(values)

    @override
    def forget(self, part: StoredPart) -> None:
        with self._lock, open_transaction(self._connection):
            where = (part.document_id, part.name)
            self._connection.execute("DELETE FROM kept_documents WHERE id = ? AND part = ?", where)

    def _change(self, document_id: str, change: Callable[[Values], Values | None]) -> None:
        """Apply `change` to a document's values ({} if unknown); None writes nothing."""
        with self._lock, open_transaction(self._connection):
            rows = self._select("id = ? AND part = ?", document_id, _DOCUMENT)
            if changed := change(rows[0] if rows else {}):
                self._write({**changed, "id": document_id, "part": _DOCUMENT})

    def _write(self, values: Values) -> None:
        row = (values["id"], values["part"], values.get("collection"), json.dumps(item_of(values)))
        self._connection.execute("INSERT OR REPLACE INTO kept_documents VALUES (?, ?, ?, ?)", row)

    def _rows(self, where: str, *values: str) -> list[Values]:
        with self._lock:
            return self._select(where, *values)

    def _select(self, where: str, *values: str) -> list[Values]:
        query = f"SELECT item FROM kept_documents WHERE {where}"  # noqa: S608 (no input in it)
        return [values_of(json.loads(item)) for (item,) in self._connection.execute(query, values)]


@contextmanager
def opened_manifest() -> Iterator[LocalManifest]:
    """Open the manifest for the block."""
    with closing(connect(SCHEMA)) as connection:
        yield LocalManifest(connection)


def _record(values: Values) -> Record:
    return Record.model_validate({name: values[name] for name in Record.model_fields if name in values})


def _part(values: Values) -> StoredPart:
    generation, _, number = values["part"].partition("#")
    fields = {name: values[name] for name in ("passage_ids", "ids", "writing_since") if name in values}
    return _PART.validate_python({"document_id": values["id"], "generation": generation, "number": number, **fields})
