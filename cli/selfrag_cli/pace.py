"""The pace of reading documents, and the time left if it goes on."""

from collections import deque
from dataclasses import dataclass

# A time left that is told sooner, or after a smaller share of the letters, is a guess.
_SOONEST = 5.0
_LEAST_SHARE = 0.02
# The time left follows from the pace of so many seconds: a machine that became busy, or idle, shows in it.
_WINDOW = 120.0


@dataclass(frozen=True)
class Reading:
    """A moment of an ingestion: documents read and in all, the one at work, and the passages so far.

    `letters` are read, and `letters_left` are to be read, as far as that can be estimated. `removed` are documents
    that are gone, which are in no other number.
    """

    done: int
    total: int
    name: str
    passages: int
    letters: int
    letters_left: int
    removed: int = 0


class Pace:
    """The pace of one ingestion, from its readings and the seconds since some moment at which each came."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._window = deque([(began, 0)])

    def words(self, reading: Reading, now: float) -> str:
        """Return the pace and the time left in words; "" while there is nothing to tell."""
        self._window.append((now, reading.letters))
        while len(self._window) > 2 and now - self._window[1][0] >= _WINDOW:
            self._window.popleft()
        if not reading.passages or now - self._began < _SOONEST:
            return ""
        pace = f"{reading.passages / (now - self._began):.1f} passages/s"
        then, letters = self._window[0]
        share = reading.letters / (reading.letters + reading.letters_left)
        if not reading.letters_left or reading.letters == letters or share < _LEAST_SHARE:
            return pace
        return f"{pace}, about {_time(reading.letters_left * (now - then) / (reading.letters - letters))} left"


def _time(seconds: float) -> str:
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
