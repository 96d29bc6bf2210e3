"""A clock that can be moved, so that a question an hour needs no hour."""

import time
from collections.abc import Callable


class Clock:
    """Seconds since the epoch, from `source` plus an offset; call it to read it."""

    def __init__(self, source: Callable[[], float] = time.time) -> None:
        self._source, self._moved = source, 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self._source() + self._moved

    def move(self, seconds: float) -> None:
        """Let so much time have passed."""
        self._moved += seconds


def standing() -> Clock:
    """Return a clock that nothing but `move` moves: what happens between two moves happens at once."""
    return Clock(lambda: 1_800_000_000.0)
