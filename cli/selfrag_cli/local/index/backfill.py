"""Embedding of passages that are already searchable by text."""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest

from selfrag.domain.passages import embedded_text
from selfrag.retrieval.duplicates import content_of
from selfrag_cli.local.index.embedding_cache import CachedEmbedder
from selfrag_cli.local.index.passage_index import EmbeddedIndex, Unembedded
from selfrag_cli.terminal import Progress

# Batch size: seconds on a busy machine, after which a run can stop.
_TOGETHER = 8
# Number of batches whose pace predicts the remaining time.
_RECENT = 20
# Fixed cost of embedding a passage, expressed in letters.
_OVERHEAD = 100


class VectorBackfill:
    """Embeds the passages of a collection that have no vector.

    Passages found by searches come first, then other passages of their documents, then the newest documents. `modified`
    returns a document's modification time in seconds since the epoch.
    """

    def __init__(
        self, index: EmbeddedIndex, embedder: CachedEmbedder, collection: str, modified: Callable[[str], float]
    ) -> None:
        self._index, self._embedder, self._collection, self._modified = index, embedder, collection, modified

    def run(self, stopped: threading.Event | None = None) -> Iterator[Progress]:
        """Embed until every passage has a vector or the run is stopped; yield the progress."""
        pending = self._index.find_unembedded(self._collection)
        total, work, done, cost = len(pending), sum(map(_cost, pending)), 0, 0
        pace = deque([(time.monotonic(), 0)], maxlen=_RECENT)
        times = {document: self._modified(document) for document in {passage.document for passage in pending}}
        while pending and not (stopped and stopped.is_set()):
            batch = self._first(pending, times)
            self.embed([passage.number for passage in batch])
            embedded = {passage.number for passage in batch}
            pending = [passage for passage in pending if passage.number not in embedded]
            done, cost = done + len(batch), cost + sum(map(_cost, batch))
            pace.append((time.monotonic(), cost))
            seconds = (pace[-1][0] - pace[0][0]) / (cost - pace[0][1])
            self._index.note_backfill(self._collection, seconds * (work - cost))
            yield Progress(done, total, batch[-1].document, "Embedding", cost / work)
        if not pending:
            self._index.note_backfill(self._collection, 0.0)

    def embed(self, numbers: Sequence[int]) -> None:
        """Embed the passages of these numbers, ignoring deleted ones."""
        passages = self._index.get_passages(numbers)
        texts = [embedded_text(passage.title, passage.text) for passage in passages.values()]
        contents = [content_of(passage) for passage in passages.values()]
        vectors = self._embedder.passages(texts, contents)
        self._index.add_vectors(dict(zip(passages, vectors, strict=True)))

    def _first(self, pending: Iterable[Unembedded], times: dict[str, float]) -> list[Unembedded]:
        requested = self._index.pending_requests
        documents = set(requested.values())

        def order(passage: Unembedded) -> tuple[bool, bool, float, int]:
            asked_about = passage.document in documents
            return passage.number not in requested, not asked_about, -times[passage.document], passage.number

        return nsmallest(_TOGETHER, pending, key=order)


def _cost(passage: Unembedded) -> int:
    return passage.letters + _OVERHEAD


def yield_to_questions() -> None:
    """Lower the priority of this thread and its children below threads that answer questions."""
    if sys.platform == "linux":  # on other systems a priority applies to the process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
