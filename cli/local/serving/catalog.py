"""The documents as the served API lists them: what is kept on disk, and what was uploaded since."""

import time
from collections.abc import Mapping
from typing import Any

import boto3

from cli.local.aws.manifest import Item, kept_manifest
from cli.local.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE
from selfrag.adapters.items import DOCUMENT
from selfrag.domain.documents import document_id

_Place = tuple[str, str]


class Catalog:
    """The local table of documents, for one collection; nothing of it is kept. One thread at a time may use it."""

    def __init__(self, collection: str) -> None:
        self._collection = collection
        self._client = boto3.client("dynamodb")
        self._listed: dict[_Place, Item] = {}

    def working(self, key: str) -> None:
        """List a document that has come, which is not read yet."""
        self._write({**self._listed, **self._marked(self._listed, key, "working")})

    def removing(self, key: str) -> None:
        """List a document whose file is deleted, and whose passages are still there."""
        self._write({**self._listed, **_removing(self._listed, key)})

    def refresh(self, changed: Mapping[str, str], unread: Mapping[str, str] | None = None, reason: str = "") -> None:
        """List what is kept now, but what was `changed` since as working, or as removing if it has no ETag any more.

        Of the `unread` keys, each with the ETag of its file, or none, those of which what is kept is about another
        content are listed as failed for this reason.
        """
        with kept_manifest() as kept:
            items = {_place(item): item for item in kept.items_of(self._collection)}
        for key, etag in (unread or {}).items():
            if not _is_about(items.get(_place_of(key), {}), etag):
                items |= self._marked(items, key, "failed", reason)
        for key, etag in changed.items():
            items |= self._marked(items, key, "working") if etag else _removing(items, key)
        self._write(items)

    def _marked(self, items: Mapping[_Place, Item], key: str, status: str, reason: str = "") -> dict[_Place, Item]:
        place = _place_of(key)
        strings = {"id": place[0], "part": DOCUMENT, "key": key, "collection": self._collection, "status": status}
        item: Item = {name: {"S": value} for name, value in (strings | {"reason": reason}).items()}
        numbers: Item = {"updated_at": {"N": str(int(time.time()))}, "deleted_at": {"N": "0"}}
        return {place: {**items.get(place, {}), **item, **numbers}}

    def _write(self, items: Mapping[_Place, Item]) -> None:
        for place, item in items.items():
            if self._listed.get(place) != item:
                self._client.put_item(TableName=DOCUMENTS_TABLE, Item=item)
        for identity, part in self._listed.keys() - items.keys():
            key: dict[str, Any] = {"id": {"S": identity}, "part": {"S": part}}
            self._client.delete_item(TableName=DOCUMENTS_TABLE, Key=key)
        self._listed = dict(items)


def _removing(items: Mapping[_Place, Item], key: str) -> dict[_Place, Item]:
    place = _place_of(key)
    # Any moment will do: what is kept has seen no deletion of the API's.
    return {place: {**items[place], "deleted_at": {"N": "1"}}} if place in items else {}


def _is_about(item: Item, etag: str) -> bool:
    if not etag:
        return bool(item.get("status", {"S": "removed"})["S"] == "removed")
    return str(item.get("version", {"S": ""})["S"]).startswith(etag)


def _place(item: Item) -> _Place:
    return item["id"]["S"], item["part"]["S"]


def _place_of(key: str) -> _Place:
    return document_id(DOCUMENTS_BUCKET, key), DOCUMENT
