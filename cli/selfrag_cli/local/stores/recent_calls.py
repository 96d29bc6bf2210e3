"""The recent calls to models in the home: an item for each model, which all processes read and write."""

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
# Calls of a step within so many seconds are one arrival.
_TOGETHER_SECONDS = 5.0
_KEPT_SECONDS = 2 * 86_400


class LocalCalls(RecentCalls):
    """The arrivals of steps at models, newest first, and until when a model is to be left; `now` gives seconds."""

    def __init__(self, items: Items, now: Callable[[], float] = time.time) -> None:
        self._items, self._now = items, now

    @override
    def seen(self, step: str, model: str) -> Recent:
        now = self._now()

        def arrive(calls: _ModelCalls) -> None:
            arrivals = calls.arrivals.get(step, [])
            if not arrivals or arrivals[0] < now - _TOGETHER_SECONDS:
                calls.arrivals[step] = [now, *arrivals][:_ARRIVALS]

        calls = self._changed(model, arrive)
        between = [later - earlier for later, earlier in pairwise(calls.arrivals.get(step, []))]
        return Recent(tuple(seconds for seconds in between if seconds > 0), max(0.0, calls.patience_until - now))

    @override
    def refused(self, model: str, seconds: float) -> None:
        until = self._now() + seconds

        def wait(calls: _ModelCalls) -> None:
            calls.patience_until = max(until, calls.patience_until)

        self._changed(model, wait)

    def _changed(self, model: str, change: Callable[["_ModelCalls"], None]) -> "_ModelCalls":
        """Change the calls of a model, and return them; none if the file fails."""
        # No verdict has such a key: those are hashes.
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
    """The arrivals at a model by step, newest first, and until when it is to be left; in seconds since the epoch."""

    arrivals: dict[str, list[float]] = {}
    patience_until: float = 0.0
