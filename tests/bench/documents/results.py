"""The results of each reader with each file, and their table by kind of file."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from tests.bench.documents.corpus.building import File
from tests.bench.documents.known.tables import Cell
from tests.bench.documents.measures.cells import cells_kept, lines_of
from tests.bench.documents.measures.text import Kept, Source
from tests.bench.documents.readers.running import Reading


@dataclass(frozen=True)
class Result:
    """One file by one reader. `cells` is how many its source has, `kept_cells` how many are with their headings."""

    reader: str
    file: str
    kind: str
    language: str
    error: str
    seconds: float
    peak: int
    kept: Kept
    cells: int
    kept_cells: int


@dataclass(frozen=True)
class Row:
    """A line of the table: a kind of file by one reader. The fields are as the page says them; None if there is none.

    `lost` is per 1,000 words of the source, `glued`, `invented` and `navigation` per 1,000 words that the reader gave;
    `order` and `cells` are shares of 100; `seconds` are of one file, `peak` is MiB.
    """

    kind: str
    reader: str
    files: int
    unread: int
    lost: float
    glued: float
    invented: float
    navigation: float
    order: float | None
    cells: float | None
    kept_cells: int
    of_cells: int
    seconds: float
    peak: int


def judged(reader: str, file: File, reading: Reading) -> Result:
    """Hold what a reader gave against what is known."""
    source, cells = _known(file.known)
    lines = [*lines_of(reading.text), *reading.rows]
    of_cells = len(cells), cells_kept(cells, lines)
    compared = source.kept(reading.text)
    seconds, peak = round(reading.seconds, 3), reading.peak
    return Result(reader, file.name, file.kind, file.language, reading.error, seconds, peak, compared, *of_cells)


@lru_cache(maxsize=32)
def _known(path: str) -> tuple[Source, list[Cell]]:
    """Return what is known of a file, kept for the next reader of it."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    cells = [Cell(**{**cell, "columns": tuple(cell["columns"])}) for cell in found["cells"]]
    return Source(found["text"], found["furniture"], cells), cells


def summed(results: Sequence[Result], by: Callable[[Result], str]) -> list[Row]:
    """Return the table, by a kind of the caller's: kinds as they come first, and in each the readers."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((by(result), result.reader), []).append(result)
    kinds = list(dict.fromkeys(kind for kind, _ in groups))
    return [_row(kind, reader, groups[kind, reader]) for kind in kinds for at, reader in groups if at == kind]


def _row(kind: str, reader: str, results: Sequence[Result]) -> Row:
    def total(name: str) -> int:
        return sum(getattr(result.kept, name) for result in results)

    kept_cells, cells = sum(result.kept_cells for result in results), sum(result.cells for result in results)
    return Row(
        kind,
        reader,
        len(results),
        sum(bool(result.error) for result in results),
        _of(1000, total("lost"), total("known")) or 0.0,
        *(_of(1000, total(name), total("read")) or 0.0 for name in ("glued", "invented", "furniture")),
        _of(100, total("in_order"), total("common")),
        _of(100, kept_cells, cells),
        kept_cells,
        cells,
        round(sum(result.seconds for result in results) / len(results), 2),
        max(result.peak for result in results),
    )


def _of(scale: int, part: int, whole: int) -> float | None:
    return round(scale * part / whole, 2) if whole else None


def written(results: Sequence[Result], about: dict[str, object], path: Path) -> None:
    """Keep all results as JSON, with what they are about and the machine's load."""
    told = {**about, "load": [round(load, 2) for load in os.getloadavg()], "cores": os.cpu_count()}
    found = json.dumps({"about": told, "results": [asdict(result) for result in results]}, indent=0)
    path.write_text(found + "\n", encoding="utf-8")


def read(path: Path) -> tuple[dict[str, object], list[Result]]:
    """Return what `written` kept."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["about"], [Result(**{**each, "kept": Kept(**each["kept"])}) for each in found["results"]]
