"""A bucket, an index and ingestions between them, with the claims of the real one, on the intake's simulated clock."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from selfrag.adapters.manifest import LEASE_SECONDS
from selfrag_cli.local.runner.failures import Failure
from tests.support.intake import Clock, Json

DIED = Failure("States.TaskFailed", "Aborted", "TaskFailed")
End = Callable[[Json | Failure], None]


class IngestionModel:
    """Objects and indexed content by key; `faulty` is the share of ingestions that crash, or take another hour."""

    def __init__(self, chance: random.Random, faulty: float = 0.0) -> None:
        self.clock: Clock
        self.bucket: dict[str, int] = {}
        self.index: dict[str, int] = {}
        self.started: list[str] = []
        self.at_once: Counter[str] = Counter()
        self.faulty = faulty
        self.seconds: Callable[[], float] = lambda: self._chance.choice([3, 20, 400])
        self._chance, self._numbers = chance, itertools.count()
        self._claims: dict[str, tuple[int, float]] = {}
        self._look_again: set[str] = set()

    def ingest(self, document: Json, end: End) -> None:
        """Run one ingestion."""
        key, me = document["key"], next(self._numbers)
        self.started.append(key)
        if self._claims.get(key, (0, 0.0))[1] > self.clock.now:
            self._look_again.add(key)
            self.clock.after(1, lambda: end({"action": "busy"}))
            return
        self._claims[key] = me, self.clock.now + LEASE_SECONDS
        self._look_again.discard(key)
        self.at_once[key.partition("/")[0]] += 1
        self._look(key, me, end)

    def _look(self, key: str, me: int, end: End) -> None:
        version = self.bucket.get(key)
        fault = self._chance.choice(["dies", "is unfinished"]) if self._chance.random() < self.faulty else ""
        self.clock.after(self.seconds(), lambda: self._finish(key, me, version, fault, end))

    def _finish(self, key: str, me: int, version: int | None, fault: str, end: End) -> None:
        if fault == "dies":
            end(DIED)  # and its claim stays
            return
        if not fault:
            _put(self.index, key, version)
        if key in self._look_again:
            self._look_again.discard(key)
            self._look(key, me, end)
            return
        if self._claims.get(key, (me, 0.0))[0] == me:
            self._claims.pop(key, None)
        end({"action": "remove" if version is None else "read", "unfinished": bool(fault)})


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
