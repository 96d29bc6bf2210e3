"""The bill of the service: start and end, tokens and price of each request."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.workflow.api.caching import Cached
from selfrag.domain.calls import PRICES

# Price of a cache write relative to plain input, for five minutes and an hour (vendor's price list, November 2026).
WRITTEN_5M, WRITTEN_1H = 1.25, 2.0
# When something began and when it ended, by one clock, in seconds.
Span = tuple[float, float]


@dataclass(frozen=True)
class Billed:
    """A request that was replied to, or refused with another status, between two moments of one clock in seconds."""

    step: str
    model: str
    began: float
    ended: float
    status: int = 200
    input_tokens: int = 0
    output_tokens: int = 0
    cached: Cached = field(default_factory=Cached)

    @property
    def span(self) -> Span:
        """Return the moments at which it began and ended."""
        return self.began, self.ended

    @property
    def usd(self) -> float:
        """Return the price in dollars; a refused request is free."""
        per_input, per_output, per_read = PRICES[self.model]
        weighted = self.input_tokens + WRITTEN_5M * self.cached.written_5m + WRITTEN_1H * self.cached.written_1h
        dear = weighted * per_input + self.cached.read * per_read + self.output_tokens * per_output
        return dear / 1_000_000

    def usage(self) -> Mapping[str, Any]:
        """Return the reply's `usage`."""
        written = {
            "ephemeral_5m_input_tokens": self.cached.written_5m,
            "ephemeral_1h_input_tokens": self.cached.written_1h,
        }
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cache_read_input_tokens": self.cached.read,
            "cache_creation_input_tokens": sum(written.values()),
            "cache_creation": written,
        }


def critical_seconds(spans: Iterable[Span]) -> float:
    """Return the longest chain of spans of which none began before the one before it had ended, in seconds.

    Only the durations of the spans are added up, so gaps between them do not count as the model's time.
    """
    chain: list[tuple[float, float]] = [(-math.inf, 0.0)]  # when a chain ends, and the most that one takes until then
    for began, ended in sorted(spans, key=lambda span: span[1]):
        before = max(seconds for end, seconds in chain if end <= began)
        chain.append((ended, before + ended - began))
    return max(seconds for _, seconds in chain)
