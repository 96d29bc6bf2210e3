"""The record of decisions, a line for each call: written by the emulator and its doubles, read by the test."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Decision(NamedTuple):
    """A call, and whether it was allowed; `who` is a role, or the service that called in its own name."""

    who: str
    action: str
    resource: str
    allowed: bool


class Record:
    """A file of decisions."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.touch()

    def add(self, decision: Decision) -> bool:
        """Write one down, and say whether it was allowed."""
        # One short line at the end of a file, written at once: processes do not come into each other's way.
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(decision) + "\n")
        return decision.allowed

    def __iter__(self) -> Iterator[Decision]:
        yield from (Decision(*json.loads(line)) for line in self._file.read_text(encoding="utf-8").splitlines())
