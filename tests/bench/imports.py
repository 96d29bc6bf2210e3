"""A bench of cold starts: each handler with the parts that it makes at the start, in a fresh Python.

It measures the processor's time, which is nearly all of a start, and which other load of the machine does not change.
"""

import re
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from infra.packages.zips import READERS
from tests.support.cold_services import services
from tests.support.cold_start import handler_of, run_as_lambda, start, steps_in, trees


def heaviest(unpacked: Path, step: str, number: int) -> list[tuple[str, float]]:
    """Return the packages whose own modules take the longest, with their milliseconds."""
    done = run_as_lambda(unpacked, step, f"import {handler_of(unpacked, step)}", ("-B", "-X", "importtime"))
    if done.returncode:
        raise RuntimeError(done.stderr)
    spent: Counter[str] = Counter()
    for own, module in re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", done.stderr, re.MULTILINE):
        spent[module.split(".")[0]] += int(own)
    return [(package, microseconds / 1000) for package, microseconds in spent.most_common(number)]


def readers(unpacked: Path, runs: int) -> dict[str, float]:
    """Return the median milliseconds of the processor to load each library that only one kind of file needs."""
    folder = unpacked / READERS / "python"
    names = sorted(path.parent.name for path in folder.glob("*/__init__.py") if not path.parent.name.startswith("_"))
    return {name: median(_load(unpacked, name) for _ in range(runs)) for name in names}


def _load(unpacked: Path, library: str) -> float:
    code = f"import time; began = time.process_time(); import {library}; print(time.process_time() - began)"
    done = run_as_lambda(unpacked, "parse_document", code, ("-B",))
    if done.returncode:
        raise RuntimeError(done.stderr)
    return 1000 * float(done.stdout)


def main(
    out: Annotated[Path, typer.Option(help="Folder with the zips, built for this machine.")] = Path("build/bench"),
    runs: Annotated[int, typer.Option(help="How many times each handler is started.", min=1)] = 3,
) -> None:
    """Print each handler's median start with and without bytecode, its heaviest packages, and the readers'."""
    taken: dict[tuple[str, bool], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch, services() as url:
        plain, compiled = trees(out, Path(scratch))
        steps = steps_in(compiled)
        for _ in range(runs):
            for step in steps:
                # By turns, so that other load of the machine falls on both.
                taken[step, False].append(start(plain, step, url).processor)
                taken[step, True].append(start(compiled, step, url).processor)
        typer.echo(f"{'handler':<18}{'without':>10}{'with bytecode':>16}   of it, packages")
        for step in steps:
            without, with_it = (1000 * median(taken[step, held]) for held in (False, True))
            packages = ", ".join(f"{package} {spent:.0f}" for package, spent in heaviest(compiled, step, 5))
            typer.echo(f"{step:<18}{without:>7.0f} ms{with_it:>13.0f} ms   {packages}")
        loads = ", ".join(f"{name} {spent:.0f} ms" for name, spent in readers(compiled, runs).items())
        typer.echo(f"loaded by a file of their kind alone, with bytecode: {loads}")


if __name__ == "__main__":
    typer.run(main)
