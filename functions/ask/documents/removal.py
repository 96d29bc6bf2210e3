"""What the API does to delete a document: the object goes at once, its passages when ingestion has heard of it."""

import time

from ask.documents.listing import Document
from selfrag.ports.manifest import Manifest
from selfrag.ports.objects import Uploads


def remove(document: Document, manifest: Manifest, uploads: Uploads) -> Document:
    """Delete a document's object, and give the document as it is shown until its passages are gone.

    Raises what the bucket raises; the document is then what it was.
    """
    began = time.time_ns()
    # Before the object goes: whatever execution is told of that has seen the deletion. One that has begun covers this.
    if document.status != "removing":
        manifest.begin_deletion(document.id, began)
    try:
        uploads.delete(document.key)
    except Exception:
        manifest.undo_deletion(document.id, began)
        raise
    return document.model_copy(update={"status": "removing"})
