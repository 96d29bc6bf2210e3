"""The recent calls to models in the home: an item for each model, which all processes read and write."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from selfrag.domain.errors import SelfragError
from selfrag.ports.recent import Recent
from selfrag_cli.local.stores.attributes import item_of, values_of
from selfrag_cli.local.stores.tables import VERDICTS, Item, Items

_ARRIVALS = 9
# Calls of a step within so many seconds are one arrival.
_TOGETHER_SECONDS = 5.0
_KEPT_SECONDS = 2 * 86_400


class LocalCalls:
    """The arrivals of steps at models, newest first, and until when a model is to be left; `now` gives seconds."""

    def __init__(self, items: Items, now: Callable[[], float] = time.time) -> None:
        self._items, self._now = items, now

    def seen(self, step: str, model: str) -> Recent:
        """Note that a step calls a model now, and return what is known; nothing if the file fails."""
        now = self._now()

        def arrive(values: dict[str, Any]) -> dict[str, Any]:
            arrivals = values.get(step, [])
            together = arrivals and arrivals[0] >= now - _TOGETHER_SECONDS
            return {step: arrivals if together else [now, *arrivals][:_ARRIVALS]}

        values = self._changed(model, arrive)
        between = [later - earlier for later, earlier in pairwise(values.get(step, []))]
        patience = values.get("patience_until", 0.0) - now
        return Recent(tuple(seconds for seconds in between if seconds > 0), max(0.0, patience))

    def refused(self, model: str, seconds: float) -> None:
        """Note until when a model wants to be left; the longest of all such wishes holds."""
        until = self._now() + seconds
        self._changed(model, lambda values: {"patience_until": max(until, values.get("patience_until", 0.0))})

    def _changed(self, model: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Change what is known of a model, and return it; {} if the file fails."""
        # No verdict has such a key: those are hashes.
        key, after = f"calls#{model}", {}

        def write(item: Item | None) -> Item:
            values = values_of(item or {})
            after.update({**values, **change(values), "key": key, "expires_at": round(self._now()) + _KEPT_SECONDS})
            return item_of(after)

        with suppress(SelfragError):
            self._items.change(VERDICTS, key, write)
        return after
