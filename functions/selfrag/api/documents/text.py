"""The extracted text of a document: its passages, in order, from the index."""

from selfrag.domain.answers import NearPassage
from selfrag.domain.base import Model
from selfrag.domain.passages import Bounds
from selfrag.ports.index import PassageIndex
from selfrag.ports.manifest import Manifest

# Passages of one reply: some hundred thousand characters.
MAX_PASSAGES = 100


class DocumentText(Model):
    """Consecutive passages of a document: the first is at `start`, counted from 0, of `total`."""

    start: int
    total: int
    passages: list[NearPassage]


def text_of(document_id: str, manifest: Manifest, index: PassageIndex, start: int, around: str) -> DocumentText:
    """Return at most MAX_PASSAGES passages of a document: from `start`, or around the passage of this id."""
    record = manifest.read(document_id)
    parts = [part for part in manifest.parts(document_id) if record and part.generation == record.generation]
    ids = [passage_id for part in sorted(parts, key=lambda part: part.number) for passage_id in part.passage_ids]
    start = max(0, ids.index(around) - MAX_PASSAGES // 2) if around in ids else start
    bounds = Bounds([record.collection] if record else [])
    passages = [NearPassage(**passage.model_dump()) for passage in index.fetch(ids[start:][:MAX_PASSAGES], bounds)]
    return DocumentText(start=start, total=len(ids), passages=passages)
