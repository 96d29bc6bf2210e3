"""The manifest as the served API shows it: what is kept on disk, and what was uploaded since."""

import time
from collections.abc import Collection, Mapping
from typing import Any

import boto3

from cli.local.aws.manifest import Item, kept_manifest
from cli.local.aws.resources import DOCUMENTS_BUCKET, DOCUMENTS_TABLE
from selfrag.adapters.items import DOCUMENT
from selfrag.domain.documents import document_id

_Place = tuple[str, str]


class ShownManifest:
    """The local table of documents, for one collection; nothing of it is kept. One thread at a time may use it."""

    def __init__(self, collection: str) -> None:
        self._collection = collection
        self._client = boto3.client("dynamodb")
        self._shown: dict[_Place, Item] = {}

    def working(self, key: str) -> None:
        """Show that a document has come and is not read yet."""
        self._show({**self._shown, **self._marked(self._shown, key, "working")})

    def refresh(
        self, working: Collection[str] = (), doubtful: Mapping[str, str] | None = None, reason: str = ""
    ) -> None:
        """Show what is kept now, and as working the keys that are.

        Of the `doubtful` keys, each with the ETag of its file, those of which what is kept is about another content
        are shown as failed for this reason.
        """
        with kept_manifest() as kept:
            items = {_place(item): item for item in kept.items_of(self._collection)}
        for key, etag in (doubtful or {}).items():
            known = items.get(_place_of(key), {})
            if not known.get("version", {"S": ""})["S"].startswith(etag):
                items |= self._marked(items, key, "failed", reason)
        for key in working:
            items |= self._marked(items, key, "working")
        self._show(items)

    def _marked(self, items: Mapping[_Place, Item], key: str, status: str, reason: str = "") -> dict[_Place, Item]:
        place = _place_of(key)
        strings = {"id": place[0], "part": DOCUMENT, "key": key, "collection": self._collection, "status": status}
        item: Item = {name: {"S": value} for name, value in (strings | {"reason": reason}).items()}
        return {place: {**items.get(place, {}), **item, "updated_at": {"N": str(int(time.time()))}}}

    def _show(self, items: Mapping[_Place, Item]) -> None:
        for place, item in items.items():
            if self._shown.get(place) != item:
                self._client.put_item(TableName=DOCUMENTS_TABLE, Item=item)
        for identity, part in self._shown.keys() - items.keys():
            key: dict[str, Any] = {"id": {"S": identity}, "part": {"S": part}}
            self._client.delete_item(TableName=DOCUMENTS_TABLE, Key=key)
        self._shown = dict(items)


def _place(item: Item) -> _Place:
    return item["id"]["S"], item["part"]["S"]


def _place_of(key: str) -> _Place:
    return document_id(DOCUMENTS_BUCKET, key), DOCUMENT
