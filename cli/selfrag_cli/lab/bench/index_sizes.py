"""The growth of the laptop's index: opening, searching, filtering and adding at 1,000 to 50,000 passages.

`python -m selfrag_cli.lab.bench.index_sizes [SIZE ...]` prints the table, and how many passages a second are embedded.
"""

import json
import os
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

from rich.console import Console
from rich.table import Table

from selfrag.domain.passages import Bounds
from selfrag.ports.index import CANDIDATES
from selfrag_cli.lab.bench.synthetic_passages import COLLECTION, RARE_TAG, MadeUp
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SCHEMA, E5Embedder, EmbeddedIndex
from selfrag_cli.sample import HANDBOOK

SIZES = (1_000, 10_000, 50_000)

_RUNS = 20
_BATCH = 500
_EMBEDDED, _LETTERS = 50, 700


@dataclass(frozen=True)
class Size:
    """The figures of one size: the file in MiB, times in milliseconds (medians but for the first), memory in MiB.

    `first_ms` is opening and the first search in a fresh process, without its imports; `filtered_ms` is a search for
    the tag of every tenth document, and `added_ms` one after a passage was added; `memory` is the most that the
    process held, imports and all.
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
    """Measure each size, in an index of its own, written by one process and opened by another."""
    for passages in sizes:
        with tempfile.TemporaryDirectory() as directory:
            written = _in_a_process("write", directory, passages)
            file = sum(file.stat().st_size for file in Path(directory).iterdir()) / 2**20
            yield Size(passages, file, **written, **_in_a_process("open", directory, passages))


def embedding_rate() -> float:
    """Measure how many passages of 700 letters are embedded in a second."""
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(HANDBOOK.rglob("*.md")))
    texts = [text[start : start + _LETTERS] for start in range(0, _EMBEDDED * _LETTERS, _LETTERS)]
    embedder = E5Embedder()
    embedder.passages(texts[:4])
    return len(texts) / (_timed(lambda: embedder.passages(texts)) / 1000)


def show_sizes(console: Console, sizes: Sequence[Size]) -> None:
    """Print the figures, a line for each size."""
    table = Table("passages", title="The laptop's index", title_justify="left")
    for name in ("file\nMiB", "written\n1/s", "first\nms", "search\nms", "by tag\nms", "one added\nms", "memory\nMiB"):
        table.add_column(name, justify="right")
    for size in sizes:
        passages, *figures = asdict(size).values()
        table.add_row(f"{passages:,}", *(f"{figure:,.0f}" for figure in figures))
    console.print(table)


def _in_a_process(what: str, directory: str, passages: int) -> dict[str, float]:
    command = [sys.executable, "-m", "selfrag_cli.lab.bench.index_sizes", what, directory, str(passages)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 (our own)
    figures: dict[str, float] = json.loads(told.stdout)
    return figures


def _write(directory: Path, passages: int) -> dict[str, float]:
    made, milliseconds = MadeUp(passages), 0.0
    with closing(connect(SCHEMA, directory)) as connection:
        index = EmbeddedIndex(connection)
        for start in range(0, passages, _BATCH):
            entries = [made.entry(number) for number in range(start, min(start + _BATCH, passages))]
            milliseconds += _timed(partial(index.add, entries))
    return {"written_per_second": 1000 * passages / milliseconds}


def _open(directory: Path, passages: int) -> dict[str, float]:
    made, everything = MadeUp(passages + 1), Bounds([COLLECTION])
    asked = iter([(made.text(6), made.vector()) for _ in range(3 * _RUNS)])

    def search(index: EmbeddedIndex, bounds: Bounds = everything) -> float:
        text, vector = next(asked)
        return _timed(lambda: index.search(text, vector, CANDIDATES, bounds))

    started = time.perf_counter()
    index = EmbeddedIndex(connect(SCHEMA, directory))
    opening = 1000 * (time.perf_counter() - started)
    figures = {"first_ms": opening + search(index)}
    figures["search_ms"] = median(search(index) for _ in range(_RUNS))
    figures["filtered_ms"] = median(search(index, Bounds([COLLECTION], tags=[RARE_TAG])) for _ in range(_RUNS))
    added = []
    for number in range(_RUNS // 4):
        index.add([made.entry(passages + number)])
        added.append(search(index))
    # Linux counts in KiB, macOS in bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {**figures, "added_ms": median(added), "memory": memory}


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def _main(arguments: Sequence[str]) -> None:
    match arguments:
        case ["write" | "open" as what, directory, passages]:
            work = _write if what == "write" else _open
            sys.stdout.write(json.dumps(work(Path(directory), int(passages))))
        case _:
            console = Console()
            show_sizes(console, list(measure([int(size) for size in arguments] or SIZES)))
            rate = f"{embedding_rate():.1f} passages of {_LETTERS} letters a second"
            console.print(f"{E5Embedder.name}: {rate} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    _main(sys.argv[1:])
