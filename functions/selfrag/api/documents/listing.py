"""Pages of the caller's documents, from the manifest."""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from pydantic import ConfigDict, Field

from selfrag.domain.base import Model
from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES
from selfrag.domain.records import Content, Record
from selfrag.ports.manifest import Manifest

# Queries that one request may send: collections may be empty, or full of removed documents.
MAX_QUERIES = 20


class DocumentEntry(Content):
    """A document and its status: `working` until it is searchable (`ready`), or `failed` if it is unreadable.

    A deleted one is `removing` while its passages may be found. It is `awaited` at the `Location` of an upload until
    its file arrives, and again after its passages were removed.
    """

    # A reply always has all fields.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: str
    key: str
    collection: str
    status: Literal["ready", "failed", "working", "removing", "awaited"]
    reason: str = Field(description="Why it failed.")
    updated_at: datetime | None


class DocumentPage(Model):
    """A page of documents, which may hold fewer than were asked for."""

    documents: list[DocumentEntry]
    collections: list[str] = Field(description="The listed collections: yours by name, or the one that you named.")
    cursor: str | None = Field(description="The cursor of the next page; null on the last.")
    writable: bool = Field(default=True, description="Whether you may upload and delete documents here.")
    notice: str | None = Field(
        default=None, description="What a reader must know of how answers are made here; null if a model writes them."
    )


def document_of(record: Record) -> DocumentEntry | None:
    """Return a document as the caller sees it; None if it was removed."""
    if record.status == "removed":
        return None
    fields = record.model_dump(include=set(DocumentEntry.model_fields) - {"updated_at"})
    if record.is_removing:
        fields["status"] = "removing"
    return DocumentEntry(
        **fields, updated_at=datetime.fromtimestamp(record.updated_at, UTC) if record.updated_at else None
    )


def page(manifest: Manifest, collections: Sequence[str], limit: int, cursor: str) -> DocumentPage:
    """Return a page of these collections' documents, by collection and key; raises InvalidInput for a bad cursor."""
    names = sorted(set(collections))
    at, after = _read(cursor, names) if cursor else (0, None)
    documents: list[DocumentEntry] = []
    for _ in range(MAX_QUERIES):
        records, after = manifest.list_documents(names[at], limit - len(documents), after)
        documents += [document for record in records if (document := document_of(record))]
        if after is None:
            at += 1
        if at == len(names):
            return DocumentPage(documents=documents, collections=names, cursor=None)
        if len(documents) == limit:
            break
    following = base64.urlsafe_b64encode(json.dumps([names[at], *(after or ("", ""))]).encode()).decode()
    return DocumentPage(documents=documents, collections=names, cursor=following)


def _read(cursor: str, names: Sequence[str]) -> tuple[int, tuple[str, str] | None]:
    try:
        collection, key, document_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        # DynamoDB would refuse such a key.
        too_long = len(key.encode()) > MAX_KEY_BYTES or len(document_id) > 64
        if too_long or bool(key.encode()) != bool(document_id.encode()):
            raise ValueError
        return names.index(collection), (key, document_id) if key else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InvalidInput("cursor was not accepted: send the one of the page before, as it is.") from None
