"""Objects during ingestion: contents and intermediate results, in memory."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.objects import Object, Objects


class LocalObjects(Objects):
    """Current documents by key; intermediate results are dropped with their document."""

    def __init__(self) -> None:
        self._documents: dict[str, Object] = {}
        self._work: dict[str, bytes] = {}

    @contextmanager
    def serving_object(self, document_id: str, key: str, document: Object | None) -> Iterator[None]:
        """Provide a document (unless None) and its intermediate results for the block."""
        if document is not None:
            self._documents[key] = document
        try:
            yield
        finally:
            self._documents.pop(key, None)
            # A copy, since other threads write.
            for name in [name for name in list(self._work) if name.startswith(f"{document_id}/")]:
                del self._work[name]

    @override
    def head(self, bucket: str, key: str) -> str | None:
        document = self._documents.get(key)
        return None if document is None else f'"{hashlib.md5(document.content, usedforsecurity=False).hexdigest()}"'

    @override
    def get(self, bucket: str, key: str, most: int) -> Object | None:
        document = self._documents.get(key)
        return None if document is None else Object(document.content[:most], document.metadata)

    @override
    def put_json(self, key: str, value: Any) -> None:
        self._work[key] = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")

    @override
    def has_json(self, key: str) -> bool:
        return key in self._work

    @override
    def get_json(self, key: str) -> Any:
        try:
            return json.loads(self._work[key])
        except KeyError:
            raise TemporarilyUnavailable("work in progress is gone; the document has to be read again") from None
