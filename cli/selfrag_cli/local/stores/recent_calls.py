"""Recent model calls in the home: an item per model, shared by all processes."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

from pydantic import BaseModel
from typing_extensions import override

from selfrag.domain.errors import SelfragError
from selfrag.ports.recent import Recent, RecentCalls
from selfrag_cli.local.runner.tasks import Item, item_of, values_of
from selfrag_cli.local.stores.tables import VERDICTS, Items

_ARRIVALS = 9
# Calls of a step within this many seconds count as one arrival.
_TOGETHER_SECONDS = 5.0
_KEPT_SECONDS = 2 * 86_400


class LocalCalls(RecentCalls):
    """Arrivals of steps at models, newest first, and the end of a model's back-off; `now` is in seconds."""

    def __init__(self, items: Items, now: Callable[[], float] = time.time) -> None:
        self._items, self._now = items, now

    @override
    def record_call(self, step: str, model: str) -> Recent:
        now = self._now()

        def arrive(calls: _ModelCalls) -> None:
            arrivals = calls.arrivals.get(step, [])
            if not arrivals or arrivals[0] < now - _TOGETHER_SECONDS:
                calls.arrivals[step] = [now, *arrivals][:_ARRIVALS]

        calls = self._change(model, arrive)
        between = [later - earlier for later, earlier in pairwise(calls.arrivals.get(step, []))]
        return Recent(tuple(seconds for seconds in between if seconds > 0), max(0.0, calls.patience_until - now))

    @override
    def record_refusal(self, model: str, seconds: float) -> None:
        until = self._now() + seconds

        def wait(calls: _ModelCalls) -> None:
            calls.patience_until = max(until, calls.patience_until)

        self._change(model, wait)

    def _change(self, model: str, change: Callable[["_ModelCalls"], None]) -> "_ModelCalls":
        """Update and return a model's calls; none if the file fails."""
        # Verdict keys are hashes, so this key is free.
        key, after = f"calls#{model}", _ModelCalls()

        def write(item: Item | None) -> Item:
            nonlocal after
            calls = _ModelCalls.model_validate(values_of(item or {}))
            change(calls)
            after = calls
            return item_of({**calls.model_dump(), "key": key, "expires_at": round(self._now()) + _KEPT_SECONDS})

        with suppress(SelfragError):
            self._items.change(VERDICTS, key, write)
        return after


class _ModelCalls(BaseModel):
    """A model's arrivals by step, newest first, and its back-off end; in seconds since the epoch."""

    arrivals: dict[str, list[float]] = {}
    patience_until: float = 0.0
