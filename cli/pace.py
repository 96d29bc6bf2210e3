"""How far the reading of documents is, how fast it goes on, and how long it will take."""

from dataclasses import dataclass

# A time left that is told sooner than this is a guess.
_SOONEST = 5.0


@dataclass(frozen=True)
class Reading:
    """Documents read and in all, what is at work, the passages so far, and the share of all that is to be read.

    `removed` are documents that are gone, which are in neither number.
    """

    done: int
    total: int
    name: str
    passages: int
    share: float
    removed: int = 0


def in_words(reading: Reading, seconds: float) -> str:
    """The pace since the beginning, so many seconds ago, and the time left if that went on."""
    if not reading.passages or seconds < _SOONEST:
        return ""
    pace = f"{reading.passages / seconds:.1f} passages/s"
    left = seconds * (1 - reading.share) / reading.share if reading.share else 0
    return f"{pace}, about {_time(left)} left" if left else pace


def _time(seconds: float) -> str:
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
