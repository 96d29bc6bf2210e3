"""The command: the time of a question on the laptop, and of the served API; only commands are run."""

import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bench.laptop.process import question, started
from bench.laptop.serving import Served, measure_served
from selfrag_cli.terminal import err, out, print_json

_ELSEWHERE = 1_000_000


@dataclass(frozen=True)
class Asked:
    """Seconds from a command's begin to its end: the first in an empty home, which reads the sample handbook.

    `new` and `repeated` are of new questions, and of the same ones again.
    """

    first: float
    new: list[float]
    repeated: list[float]


@dataclass(frozen=True)
class Measured:
    """The figures, and the machine's load (of the last minute) before and after."""

    cores: int
    load: tuple[float, float]
    asked: Asked
    served: Served


def measure(home: Path, runs: int, questions: int, remembered: int) -> Measured:
    """Ask as a person does, then serve."""
    before = os.getloadavg()[0]
    with err.status("ask") as status:
        asked = _measure_asked(home, runs)
        served = measure_served(home, questions, remembered, status.update)
    return Measured(os.cpu_count() or 1, (round(before, 2), round(os.getloadavg()[0], 2)), asked, served)


def _measure_asked(home: Path, runs: int) -> Asked:
    first = _seconds(home, question(_ELSEWHERE))
    new, repeated = [], []
    for run in range(1, runs + 1):
        new.append(_seconds(home, question(_ELSEWHERE + run)))
        repeated.append(_seconds(home, question(_ELSEWHERE + run)))
    return Asked(first, new, repeated)


def _seconds(home: Path, asked: str) -> float:
    began = time.perf_counter()
    process = started(home, "ask", asked, "--json")
    told, _ = process.communicate()
    seconds = round(time.perf_counter() - began, 2)
    if process.returncode:
        raise RuntimeError(f"selfrag ask ended with {process.returncode}: {told}")
    return seconds


def show(measured: Measured) -> None:
    """Print the figures for a person."""
    asked, served = measured.asked, measured.served
    before, after = measured.load
    out.print(f"{measured.cores} cores, load {before} before and {after} after", highlight=False)
    rows = [("first in an empty home", f"{asked.first:.2f}"), ("new question", _range(asked.new))]
    rows += [("the same again", _range(asked.repeated)), ("serve, until it takes questions", f"{served.start:.2f}")]
    _print(["ask", "s: median (least to most)"], rows)
    columns = ["serve: clients", "questions", "answers/s", "median s", "p95 s", "not answered"]
    _print(columns, [tuple(map(str, asdict(load).values())) for load in served.loads])
    kept = [(str(questions), str(mebibytes)) for questions, mebibytes in served.memory.items()]
    _print(["serve: questions more", "MiB, all processes"], kept)


def _range(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def _print(columns: list[str], rows: Sequence[tuple[str, ...]]) -> None:
    table = Table()
    for column in columns:
        table.add_column(column, justify="left" if column == columns[0] else "right")
    for row in rows:
        table.add_row(*row)
    out.print(table)


def main(
    runs: Annotated[int, typer.Option(min=1, help="New questions that are asked, each twice.")] = 5,
    questions: Annotated[int, typer.Option(min=1, help="Questions by 1, 4 and 16 clients, each.")] = 60,
    remembered: Annotated[int, typer.Option(min=4, help="Questions over which the memory is watched.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, alone on stdout.")] = False,
) -> None:
    """Measure `ask` and `serve`, answered by the stand-in. It takes ten minutes or so, and a quiet machine."""
    with tempfile.TemporaryDirectory() as home:
        measured = measure(Path(home, "state"), runs, questions, remembered)
    if as_json:
        print_json(asdict(measured))
    else:
        show(measured)


def run() -> None:
    """Run the command."""
    typer.run(main)
