"""Pace and memory of reading documents on the laptop: `make bench-ingestion`.

Only commands are run, each in a process of its own, so the code of another commit is measured the same way in the same
run: `--code` names its tree, which need not have this module.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from cli.lab.bench.synthetic_files import MOST_LETTERS, write_files
from cli.lab.bench.worktree import HERE, Code
from cli.terminal import err, out, print_json


@dataclass(frozen=True)
class Took:
    """The cost of one command: seconds, those of processor time, and MiB of memory at its peak."""

    seconds: float
    processor: float
    peak: float


@dataclass(frozen=True)
class Measured:
    """The figures of which code, and the machine's load (of the last minute) before and after.

    `first` read all files, `again` found nothing to do, `changed` read one file of them again.
    """

    code: str
    cores: int
    load: tuple[float, float]
    files: int
    passages: int
    letters: int
    first: Took
    again: Took
    changed: Took


def measure(directory: Path, files: int, passages: int, letters: int) -> Measured:
    """Read made-up files by the code below a directory, in a home of its own."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        documents, code = Path(place, "documents"), Code(directory, Path(place, "home"))
        write_files(documents, files, passages, letters)
        first = _took(code, "ingest", str(documents))
        again = _took(code, "ingest", str(documents))
        write_files(documents, 1, passages, letters, seed=1)
        changed = _took(code, "ingest", str(documents))
    loads = round(load, 2), round(os.getloadavg()[0], 2)
    return Measured(str(directory), os.cpu_count() or 1, loads, files, files * passages, letters, first, again, changed)


def _took(code: Code, *arguments: str) -> Took:
    began = time.perf_counter()
    process = code.begin(*arguments)
    told = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"selfrag {' '.join(arguments)} ended with {process.returncode}: {told}")
    mebibyte = 1024 if sys.platform == "linux" else 1024 * 1024
    seconds, processor = time.perf_counter() - began, used.ru_utime + used.ru_stime
    return Took(round(seconds, 1), round(processor, 1), round(used.ru_maxrss / mebibyte, 1))


def show(all_measured: Sequence[Measured]) -> None:
    """Print the figures for a person."""
    table = Table()
    for column in ("selfrag ingest", "seconds", "processor s", "peak MiB", "passages/s"):
        table.add_column(column, justify="left" if column == "selfrag ingest" else "right")
    for one in all_measured:
        before, after = one.load
        table.add_row(f"[bold]{one.code}[/], {one.cores} cores, load {before} before and {after} after")
        pace = f"{one.passages / one.first.seconds:.1f}"
        _add(table, f"{one.files} files, {one.passages} passages of {one.letters} letters", one.first, pace)
        _add(table, "the same again", one.again)
        _add(table, "one file changed", one.changed)
    out.print(table)


def _add(table: Table, what: str, took: Took, pace: str = "") -> None:
    table.add_row(what, str(took.seconds), str(took.processor), str(took.peak), pace)


def main(
    code: Annotated[
        list[Path] | None, typer.Option(help="A tree of selfrag's code, such as another commit's worktree.")
    ] = None,
    files: Annotated[int, typer.Option(min=1, help="How many files.")] = 1000,
    passages: Annotated[int, typer.Option(min=1, help="How many passages in each.")] = 10,
    letters: Annotated[int, typer.Option(min=100, max=MOST_LETTERS, help="How many letters in each passage.")] = 600,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")] = False,
) -> None:
    """Measure `ingest` of made-up files, by each tree in turn.

    Passages of Debian's pages have 609 letters in the mean; the model that embeds takes less time for shorter ones.
    """
    measured = []
    for directory in code or [HERE]:
        # The commands say themselves how far they are.
        err.print(f"selfrag ingest of {directory}", highlight=False)
        measured.append(measure(directory.resolve(), files, passages, letters))
    if as_json:
        print_json([asdict(one) for one in measured])
    else:
        show(measured)


if __name__ == "__main__":
    typer.run(main)
