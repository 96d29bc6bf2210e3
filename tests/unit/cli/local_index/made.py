"""Passages with short vectors, and searches for them."""

from collections.abc import Sequence

import numpy as np

from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import IndexEntry
from selfrag_cli.local.index import EmbeddedIndex

VECTOR = [0.6, 0.8]


def entry(
    passage_id: str, text: str = "Leave.", collection: str = "c", angle: float = 0.0, **more: object
) -> IndexEntry:
    document = f"{collection}/{passage_id}.md"
    passage = Passage(passage_id=passage_id, document=document, text=text, collection=collection)
    return IndexEntry(passage.model_copy(update=more), [float(np.cos(angle)), float(np.sin(angle))])


def found(
    index: EmbeddedIndex, query: str, collections: Sequence[str] = ("c",), size: int = 50, **limits: Sequence[str]
) -> list[tuple[str, float]]:
    """Return what full text finds: passage ids with their scores."""
    bounds = Bounds(list(collections), **limits)  # type: ignore[arg-type]
    return [(passage.passage_id, score) for passage, score in index.search(query, None, size, bounds).by_text]


def near(index: EmbeddedIndex, size: int = 50, collection: str = "c") -> list[tuple[str, float]]:
    """Return what lies near VECTOR: passage ids with their cosines."""
    found = index.search("", VECTOR, size, Bounds([collection])).by_vector
    return [(passage.passage_id, score) for passage, score in found]
