"""A reader in a separate, monitored process, which reads one kind of file after another."""

import json
import os
import selectors
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("read.py")
# Wall-clock timeout per file, generous for a busy machine.
SECONDS = 300


@dataclass(frozen=True)
class Reading:
    """A reading of a file: its text and the rows that it knows, or the error with which it gave up.

    `tables` are those of the rows that are one table's, `grids` tables whose cells the reader tells apart. `seconds`
    are of computing, for this file alone, `peak` is the most MiB that its process had had when it was done.
    """

    text: str = ""
    rows: list[str] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)
    grids: list[list[list[str]]] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0
    peak: int = 0


def readings(name: str, python: Path, paths: Sequence[str], code: Path | None = None) -> Iterator[Reading]:
    """Yield the reading of each file, in order; one that takes too long or ends the process is an error."""
    left = list(paths)
    while left:
        with _started(name, python, code) as process:
            try:
                _line(process)
                while left:
                    _asked(process, left[0])
                    yield Reading(**_line(process))
                    left.pop(0)
            except (OSError, ValueError, TimeoutError) as error:
                process.kill()
                yield Reading(error=f"the reader was ended: {error}", seconds=SECONDS)
                left.pop(0)


def _started(name: str, python: Path, code: Path | None) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if code is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(code), str(code / "functions")])
    return subprocess.Popen(
        [str(python), str(SCRIPT), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _asked(process: subprocess.Popen[bytes], path: str) -> None:
    assert process.stdin is not None
    process.stdin.write(path.encode() + b"\n")
    process.stdin.flush()


def _line(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(SECONDS):
            raise TimeoutError(f"after {SECONDS} seconds")
        return json.loads(process.stdout.readline())
