"""Deletion of a document: its object at once, its passages when ingestion gets the event."""

import time

from selfrag.api.documents.listing import DocumentEntry
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Uploads


def remove(document: DocumentEntry, manifest: Manifest, uploads: Uploads) -> DocumentEntry:
    """Delete a document's object; return the document as displayed until its passages are removed.

    Raises the bucket's errors; the document is then unchanged.
    """
    began = time.time_ns()
    # First, so that the execution which the event starts has seen the deletion. An earlier deletion covers this one.
    if document.status != "removing":
        manifest.begin_deletion(document.id, began)
    try:
        uploads.delete(document.key)
    except Exception:
        manifest.undo_deletion(document.id, began)
        raise
    return document.replace(status="removing")
