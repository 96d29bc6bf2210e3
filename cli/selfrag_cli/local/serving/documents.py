"""Documents of the served API between an upload or a deletion and the run of ingestion that follows it."""

from collections.abc import Mapping

from selfrag.domain.documents import document_id
from selfrag_cli.local.stack import DOCUMENTS_BUCKET
from selfrag_cli.local.stores.manifest import LocalManifest

# Any moment will do: no execution has seen a deletion of the API's.
_NOW = 1


class Documents:
    """The documents of a collection as the manifest lists them."""

    def __init__(self, collection: str, manifest: LocalManifest) -> None:
        self._collection, self._manifest = collection, manifest

    def changed(self, key: str, etag: str) -> None:
        """List a document that has come as working, or one whose file is deleted, which has no ETag, as removing."""
        if etag:
            self._mark(key, "working")
        else:
            self._manifest.begin_deletion(document_id(DOCUMENTS_BUCKET, key), _NOW)

    def refresh(self, waiting: Mapping[str, str], unread: Mapping[str, str], reason: str) -> None:
        """List as failed, for this reason, what a run has not recorded, and as working what waits for the next run."""
        for key in unread:
            record = self._manifest.read(document_id(DOCUMENTS_BUCKET, key))
            if record and (record.status == "working" or record.removing):
                self._mark(key, "failed", reason)
        for key, etag in waiting.items():
            self.changed(key, etag)

    def _mark(self, key: str, status: str, reason: str = "") -> None:
        self._manifest.mark(document_id(DOCUMENTS_BUCKET, key), key, self._collection, status, reason)
