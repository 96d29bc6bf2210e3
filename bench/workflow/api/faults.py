"""Temporary failures of requests, chosen by content so that a run is reproducible."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

# A bucket of tokens fills again: no caller is refused for ever.
MAX_REFUSALS = 2


@dataclass(frozen=True)
class Fault:
    """An error response: its HTTP status, and the seconds of Retry-After, if any."""

    status: int
    retry_after: float | None = None


# Maps a request and its attempt number to a fault or None.
Faults = Callable[[str, int], Fault | None]


def no_faults(asked: str, before: int) -> None:
    """Reply to everything."""


@dataclass(frozen=True)
class _Throttled:
    """Refuses a share of all requests; a value, so that it can be sent to another process."""

    rate: float
    retry_after: float | None
    seed: int

    def __call__(self, asked: str, before: int) -> Fault | None:
        drawn = hashlib.sha256(f"{self.seed} {before} {asked}".encode()).digest()
        refused = before < MAX_REFUSALS and int.from_bytes(drawn[:4], "big") < self.rate * 2**32
        return Fault(429, self.retry_after) if refused else None


def throttled(rate: float, retry_after: float | None = None, seed: int = 0) -> Faults:
    """Refuse this share of all requests with 429, the same ones in every run; none more than twice."""
    return _Throttled(rate, retry_after, seed)
