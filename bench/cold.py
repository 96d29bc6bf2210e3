"""A bench of the first question after a pause: the cold starts of its functions, one after another.

A question that is answered at the first try runs these eight in a row; GradeUtility runs in parallel with GradeSupport,
and Plan is cold but once.
"""

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from bench.share import share_of_a_processor
from tests.support.cold_services import EVENTS, services
from tests.support.cold_start import Started, python_of, start, trees

# A function's share of a processor by its memory: 512 MB, 884 MB and 1,769 MB.
SHARES = (0.29, 0.5, 1.0)
Taken = dict[tuple[str, float, bool], list[Started]]


def measure(out: Path, runs: int) -> tuple[Taken, str]:
    """Return each function's starts and first invocations by share and bytecode, and the method of measurement."""
    taken: Taken = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch, services() as url:
        plain, compiled = trees(out, Path(scratch))
        python, means = python_of(compiled), ""
        for _ in range(runs):
            for share in SHARES:
                with (
                    share_of_a_processor(share) as (hold, by),
                    # Two with half a processor each do not disturb each other.
                    ThreadPoolExecutor(2 if share <= 0.5 and (os.cpu_count() or 1) > 1 else 1) as beside,
                ):
                    means = means if share == 1 else by
                    # By turns, so that other load of the machine falls on both.
                    cases = [(step, held) for step in EVENTS for held in (False, True)]
                    started = beside.map(
                        lambda case: start(compiled if case[1] else plain, case[0], url, EVENTS[case[0]], hold), cases
                    )
                    for (step, held), each in zip(cases, started, strict=True):
                        taken[step, share, held].append(each)
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    return taken, f"{version}, held by: {means}, medians of {runs}"


def table(taken: Taken) -> Iterator[str]:
    """Yield lines of seconds: starts by share without and with bytecode, first invocations with it, and their sums.

    The first columns are the processor's time in a start, which other load of the machine does not change.
    """
    shares = "".join(f"{share:>7.2f}" for share in SHARES)
    yield f"{'':<17}{'computing':>15}{'start, without':>24}{'start, with bytecode':>24}{'first invocation':>24}"
    yield f"{'':<18}{'without':>7}{'with':>7}   {shares}   {shares}   {shares}  processors"
    sums = [0.0] * (2 + 3 * len(SHARES))
    for step in EVENTS:
        row = [
            median(each.processor for share in SHARES for each in taken[step, share, held]) for held in (False, True)
        ]
        row += [median(each.seconds for each in taken[step, share, held]) for held in (False, True) for share in SHARES]
        row += [median(each.invocation for each in taken[step, share, True]) for share in SHARES]
        sums = [total + seconds for total, seconds in zip(sums, row, strict=True)]
        yield _line(step, row)
    yield _line("sum", sums)


def main(
    runs: Annotated[int, typer.Option(help="How many times each function is started.", min=1)] = 3,
) -> None:
    """Print the time of a cold question in each of its functions, by their share of a processor."""
    out, libraries = Path("build/bench"), "build/libraries/bench"
    for command in (["libraries", libraries, "--bench"], ["package", "--out", str(out), "--libraries", libraries]):
        subprocess.run([sys.executable, "-m", f"infra.packages.{command[0]}", *command[1:]], check=True)
    before = os.getloadavg()[0]
    taken, means = measure(out, runs)
    for line in table(taken):
        typer.echo(line)
    typer.echo(f"{means}, load {before:.1f} before")


def _line(name: str, seconds: list[float]) -> str:
    cells = [f"{each:>7.2f}" for each in seconds]
    groups = ["".join(cells[at : at + len(SHARES)]) for at in range(2, len(cells), len(SHARES))]
    return f"{name:<18}{'   '.join([''.join(cells[:2]), *groups])}"


def run() -> None:
    """Run the command."""
    typer.run(main)
