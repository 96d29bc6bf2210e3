"""Requests that are refused for a while: which of them depends on what they ask, so that a run can be repeated."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

# A bucket of tokens fills again: no caller is refused for ever.
MAX_REFUSALS = 2


@dataclass(frozen=True)
class Fault:
    """An error in place of a reply: its HTTP status, and the seconds to wait, if the service says so."""

    status: int
    retry_after: float | None = None


# What becomes of a request, by what it asks and how often that was asked before.
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
