"""An execution's events in the shape of GetExecutionHistory, with waiting readers."""

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


class History:
    """Ordered events of an execution; thread-safe. Times are ISO 8601."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._ended = False

    def add(self, kind: str, previous: int, details: Mapping[str, object]) -> int:
        """Append an event after `previous` of its lane and return its id."""
        event: dict[str, Any] = {"timestamp": datetime.now(UTC).isoformat(), "type": kind, "previousEventId": previous}
        if details:
            # All types of states share the name.
            name = f"State{kind.rpartition('State')[2]}" if kind.endswith(("StateEntered", "StateExited")) else kind
            event[f"{name[0].lower()}{name[1:]}EventDetails"] = dict(details)
        with self._changed:
            event["id"] = len(self._events) + 1
            self._events.append(event)
            self._changed.notify_all()
        return int(event["id"])

    def end(self) -> None:
        """Wake all waiting threads after the last event."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the events so far."""
        with self._changed:
            return list(self._events)

    def wait(self, seen: int, seconds: float | None = None) -> int | None:
        """Wait for more than `seen` events or the timeout and return their number; None after the last."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) > seen or self._ended, seconds)
            count = len(self._events)
            return count if count > seen or not self._ended else None

    def wait_for_end(self) -> None:
        """Wait for the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended)
