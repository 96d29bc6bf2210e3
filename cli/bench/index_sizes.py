"""How the laptop's index grows: what opening, searching, filtering and adding take at 1,000 to 50,000 passages.

Passages are made up: 110 words each by a Zipf distribution, ten to a document, every tenth document with the tag that
is searched for, random vectors. `python -m cli.bench.index_sizes [SIZE ...]` prints the table.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from cli.local.home import connect
from cli.local.index import SCHEMA, EmbeddedIndex
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import CANDIDATES, Entry

SIZES = (1_000, 10_000, 50_000)
RUNS = 20

_COLLECTION = "benchmark"
_DIMENSIONS = 384
_WORDS = 110
_VOCABULARY = 20_000
_BATCH = 500


@dataclass(frozen=True)
class Size:
    """What one size takes: the file in MiB, times in milliseconds (medians but for the first), memory in MiB.

    `first_ms` is opening and the first search in a fresh process, without its imports; `added_ms` is a search after a
    passage was added; `memory` is the most that the process held, imports and all.
    """

    passages: int
    file: float
    written_per_second: float
    first_ms: float
    search_ms: float
    filtered_ms: float
    added_ms: float
    memory: float


def measure(sizes: Sequence[int] = SIZES) -> Iterator[Size]:
    """Measure each size, in an index and a process of its own."""
    for passages in sizes:
        with tempfile.TemporaryDirectory() as directory:
            seconds = _fill(Path(directory), passages)
            size = sum(file.stat().st_size for file in Path(directory).iterdir()) / 2**20
            command = [sys.executable, "-m", "cli.bench.index_sizes", "--in", directory, str(passages)]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 (our own)
            yield Size(passages, size, passages / seconds, **json.loads(told.stdout))


def show_sizes(console: Console, sizes: Sequence[Size]) -> None:
    """Print the figures, a line for each size."""
    table = Table("passages", title="The laptop's index", title_justify="left")
    for name in ("file MiB", "written/s", "first ms", "search ms", "by tag ms", "one added ms", "memory MiB"):
        table.add_column(name, justify="right")
    for size in sizes:
        passages, *figures = asdict(size).values()
        table.add_row(f"{passages:,}", *(f"{figure:,.1f}" for figure in figures))
    console.print(table)


def _fill(directory: Path, passages: int) -> float:
    """Write an index of so many passages; gives the seconds that the writing took."""
    made, seconds = _Made(passages), 0.0
    with closing(connect(SCHEMA, directory)) as connection:
        index = EmbeddedIndex(connection)
        for start in range(0, passages, _BATCH):
            entries = [made.entry(number) for number in range(start, min(start + _BATCH, passages))]
            seconds += _timed(partial(index.add, entries)) / 1000
    return seconds


class _Made:
    """Passages and questions that are made up, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        weights = 1 / (100 + np.arange(_VOCABULARY))
        self._upto = np.cumsum(weights / weights.sum())
        letters = np.random.default_rng(0).choice(list("abcdefghijklmnopqrstuvwxyz"), (_VOCABULARY, 7))
        self._words = ["".join(word) for word in letters]

    def text(self, words: int) -> str:
        chosen = np.searchsorted(self._upto, self._random.random(words)).clip(max=_VOCABULARY - 1)
        return " ".join(self._words[word] for word in chosen)

    def vector(self) -> list[float]:
        vector = self._random.standard_normal(_DIMENSIONS).astype(np.float32)
        return [float(value) for value in vector / np.linalg.norm(vector)]

    def entry(self, number: int) -> Entry:
        document = number // 10
        passage = Passage(
            passage_id=f"{number:064}",
            document=f"{_COLLECTION}/document-{document}.md",
            text=self.text(_WORDS),
            title=f"Document {document}",
            collection=_COLLECTION,
            tags=["all", "tenth"] if document % 10 == 0 else ["all"],
            date=f"20{document % 25:02}-01-01",
        )
        return Entry(passage, self.vector(), number % 10)


def _opened(directory: Path, passages: int) -> dict[str, float]:
    """The figures that a fresh process finds in an index that is there."""
    made, everything = _Made(passages + 1), Bounds([_COLLECTION])
    asked = iter([(made.text(6), made.vector()) for _ in range(3 * RUNS)])

    def search(index: EmbeddedIndex, bounds: Bounds = everything) -> float:
        text, vector = next(asked)
        return _timed(lambda: index.search(text, vector, CANDIDATES, bounds))

    started = time.perf_counter()
    index = EmbeddedIndex(connect(SCHEMA, directory))
    opening = 1000 * (time.perf_counter() - started)
    figures = {"first_ms": opening + search(index)}
    figures["search_ms"] = median(search(index) for _ in range(RUNS))
    figures["filtered_ms"] = median(search(index, Bounds([_COLLECTION], tags=["tenth"])) for _ in range(RUNS))
    added = []
    for number in range(RUNS // 4):
        index.add([made.entry(passages + number)])
        added.append(search(index))
    figures["added_ms"] = median(added)
    # Linux counts in KiB, macOS in bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return figures


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in"]:
        print(json.dumps(_opened(Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        show_sizes(Console(), list(measure([int(size) for size in sys.argv[1:]] or SIZES)))
