"""The results of each reader with each file, and their table by kind of file."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.documents.corpus.building import File
from bench.documents.known.areas import Area, Cell, Table
from bench.documents.measures.adjacency import Adjacency, adjacency
from bench.documents.measures.cells import cells_kept, lines_of
from bench.documents.measures.names import wrongly_named
from bench.documents.measures.row_lines import Told, told_in_grid, told_in_lines, told_in_markdown
from bench.documents.measures.text import Kept, Source
from bench.documents.readers.running import Reading


@dataclass(frozen=True)
class Result:
    """One file by one reader.

    `cells` is how many its source has, `kept_cells` how many are with their headings and no others, `wrong_cells` how
    many are under a name that is not theirs. `part` is the file's.
    """

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
    wrong_cells: int
    adjacency: Adjacency
    part: str


@dataclass(frozen=True)
class Row:
    """A line of the table: a kind of file by one reader. The fields are as the page says them; None if there is none.

    `lost` is per 1,000 words of the source, `glued`, `invented` and `navigation` per 1,000 words that the reader gave;
    `order`, `cells`, `precision` and `recall` are shares of 100; `seconds` are of one file, `peak` is MiB.
    """

    kind: str
    reader: str
    files: int
    unread: int
    lost: float
    glued: float | None
    invented: float | None
    navigation: float | None
    order: float | None
    cells: float | None
    kept_cells: int
    wrong_cells: int | None
    of_cells: int
    precision: float | None
    recall: float | None
    seconds: float
    peak: int


def judged(reader: str, file: File, reading: Reading) -> Result:
    """Compare a reader's output with the reference content."""
    known = _known(file.known)
    lines, told = [*lines_of(reading.text), *reading.rows], tables_of(reading)
    wrong = wrongly_named(known.cells, (row for table in told for row in table.pairs()))
    kept = cells_kept([cell for number, cell in enumerate(known.cells) if cell.columns and number not in wrong], lines)
    return Result(
        reader,
        file.name,
        file.kind,
        file.language,
        reading.error,
        round(reading.seconds, 3),
        reading.peak,
        known.source.kept(reading.text),
        sum(bool(cell.columns) for cell in known.cells),
        kept,
        len(wrong),
        adjacency(known.tables, (table.table() for table in told)),
        file.part,
    )


def tables_of(reading: Reading) -> list[Told]:
    """Return the tables of a reading: as its reader says them, else as its text has them in Markdown."""
    if reading.tables or reading.grids:
        return [*map(told_in_lines, reading.tables), *map(told_in_grid, reading.grids)]
    return told_in_markdown(reading.text)


@dataclass(frozen=True)
class _Known:
    source: Source
    cells: list[Cell]
    tables: list[Table]


@lru_cache(maxsize=32)
def _known(path: str) -> _Known:
    """Return the reference content of a file, cached for the next reader."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    cells = [Cell(**{**cell, "columns": tuple(cell["columns"])}) for cell in found["cells"]]
    tables = [[Area(**area) for area in table] for table in found["tables"]]
    return _Known(Source(found["text"], found["furniture"], cells, found["whole"]), cells, tables)


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
    both = sum(result.adjacency.both for result in results)
    return Row(
        kind,
        reader,
        len(results),
        sum(bool(result.error) for result in results),
        _of(1000, total("lost"), total("known")) or 0.0,
        *(_of(1000, total(name), total("read")) for name in ("glued", "invented", "furniture")),
        _of(100, total("in_order"), total("common")),
        _of(100, kept_cells, cells),
        kept_cells,
        sum(result.wrong_cells for result in results),
        cells,
        _of(100, both, sum(result.adjacency.read for result in results)),
        _of(100, both, sum(result.adjacency.known for result in results)),
        round(sum(result.seconds for result in results) / len(results), 2),
        max(result.peak for result in results),
    )


def _of(scale: int, part: int, whole: int) -> float | None:
    return round(scale * part / whole, 2) if whole else None


def written(results: Sequence[Result], about: dict[str, object], path: Path) -> None:
    """Store all results as JSON, with their description and the machine's load."""
    told = {**about, "load": [round(load, 2) for load in os.getloadavg()], "cores": os.cpu_count()}
    found = json.dumps({"about": told, "results": [asdict(result) for result in results]}, indent=0)
    path.write_text(found + "\n", encoding="utf-8")


def read(path: Path) -> tuple[dict[str, object], list[Result]]:
    """Return what `written` kept."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["about"], [_result(each) for each in found["results"]]


def _result(found: dict[str, Any]) -> Result:
    return Result(**{**found, "kept": Kept(**found["kept"]), "adjacency": Adjacency(**found["adjacency"])})
