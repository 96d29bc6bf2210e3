"""The three kinds of search that a benchmark compares, over paragraphs in a temporary embedded index."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from bench.retrieval.measures import DEPTH, Answered
from bench.retrieval.squad import Paragraph
from selfrag.domain.passages import Bounds, Candidates, Passage, embedded_text
from selfrag.ports.index import IndexEntry
from selfrag.retrieval.search import CANDIDATES, search
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, CachedEmbedder, EmbeddedIndex
from selfrag_cli.local.index.embedders import NamedEmbedder

Found = TypeVar("Found")

COLLECTION = "benchmark"
# Vectors are kept after so many paragraphs: what an interrupted run has embedded is not embedded again.
BATCH = 8

# Called with progress and total.
OnParagraph = Callable[[int, int], None]


@dataclass(frozen=True)
class Searches:
    """Searches the same paragraphs by full text, by vectors, and by both as the deployed `retrieve` does."""

    index: EmbeddedIndex
    embedder: NamedEmbedder

    def ask(self, question: str, right: str) -> dict[str, Answered]:
        """Search all three ways; the time of embedding the question belongs to vectors and to hybrid."""
        vector, embedding = _timed(lambda: self.embedder.query(question))
        by_text, text_time = _timed(lambda: self._found(question, None).by_text)
        by_vector, vector_time = _timed(lambda: self._found("", vector).by_vector)
        hybrid, hybrid_time = _timed(lambda: self._hybrid(question, vector))
        return {
            "full_text": Answered([passage.text for passage, _ in by_text], right, text_time),
            "vectors": Answered([passage.text for passage, _ in by_vector], right, embedding + vector_time),
            "hybrid": Answered(hybrid, right, embedding + hybrid_time),
        }

    def _hybrid(self, question: str, vector: Sequence[float]) -> list[str]:
        bounds, floor = Bounds([COLLECTION]), self.embedder.spread_floor
        return [passage.text for passage in search(self.index, [(question, vector)], DEPTH, bounds, floor).passages]

    def _found(self, text: str, vector: Sequence[float] | None) -> Candidates:
        return self.index.search(text, vector, CANDIDATES, Bounds([COLLECTION]))


@contextmanager
def searches(paragraphs: Sequence[Paragraph], embedder: NamedEmbedder, on_paragraph: OnParagraph) -> Iterator[Searches]:
    """Index the paragraphs, each one passage, in a temporary home; the user's own is not touched."""
    with tempfile.TemporaryDirectory() as home, closing(connect(SCHEMA, Path(home))) as connection:
        kept = CachedEmbedder(embedder, connection)
        texts = [embedded_text(paragraph.title, paragraph.text) for paragraph in paragraphs]
        vectors: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            embedded = kept.passages(texts[start : start + BATCH])
            vectors += (np.asarray(vector, np.float32).tobytes() for vector in embedded)
            on_paragraph(len(vectors), len(texts))
        entries = [
            IndexEntry(
                Passage(
                    passage_id=str(number),
                    document=str(paragraph.article),
                    text=paragraph.text,
                    title=paragraph.title,
                    collection=COLLECTION,
                ),
                np.frombuffer(vector, np.float32).tolist(),
                number,
            )
            for number, (paragraph, vector) in enumerate(zip(paragraphs, vectors, strict=True))
        ]
        index = EmbeddedIndex(connection)
        index.add(entries)
        yield Searches(index, kept)


def _timed(work: Callable[[], Found]) -> tuple[Found, float]:
    started = time.perf_counter()
    done = work()
    return done, 1000 * (time.perf_counter() - started)
