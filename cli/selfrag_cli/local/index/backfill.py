"""Embedding of passages that are already searchable by text."""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


def embed_pending(
    index: EmbeddedIndex,
    embedder: CachedEmbedder,
    collection: str,
    modified: Callable[[str], float],
    stopped: threading.Event | None = None,
) -> Iterator[Progress]:
    """Embed until every passage of a collection has a vector or the run is stopped; yield the progress.

    Passages found by searches come first, then other passages of their documents, then the newest documents. `modified`
    returns a document's modification time in seconds since the epoch.
    """
    pending = index.find_unembedded(collection)
    total, work, done, cost = len(pending), sum(map(_cost, pending)), 0, 0
    pace = deque([(time.monotonic(), 0)], maxlen=_RECENT)
    times = {document: modified(document) for document in {passage.document for passage in pending}}
    while pending and not (stopped and stopped.is_set()):
        batch = _first(pending, times, index.pending_requests)
        embed_passages(index, embedder, [passage.number for passage in batch])
        embedded = {passage.number for passage in batch}
        pending = [passage for passage in pending if passage.number not in embedded]
        done, cost = done + len(batch), cost + sum(map(_cost, batch))
        pace.append((time.monotonic(), cost))
        seconds = (pace[-1][0] - pace[0][0]) / (cost - pace[0][1])
        index.note_backfill(collection, seconds * (work - cost))
        yield Progress(done, total, batch[-1].document, "Embedding", cost / work)
    if not pending:
        index.note_backfill(collection, 0.0)


def embed_passages(index: EmbeddedIndex, embedder: CachedEmbedder, numbers: Sequence[int]) -> None:
    """Embed the passages of these numbers, ignoring deleted ones."""
    passages = index.get_passages(numbers)
    texts = [embedded_text(passage.title, passage.text) for passage in passages.values()]
    vectors = embedder.passages(texts, [content_of(passage) for passage in passages.values()])
    index.add_vectors(dict(zip(passages, vectors, strict=True)))


def _first(pending: Iterable[Unembedded], times: Mapping[str, float], requested: Mapping[int, str]) -> list[Unembedded]:
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
