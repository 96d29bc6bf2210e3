"""Model calls: usage and prices."""

import re
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import ConfigDict

from selfrag.domain.base import Model

Prices = tuple[float, float, float]

# US dollars per million tokens: input, output, cache read; from the vendor's price list on the date of each row.
PRICES: dict[str, Prices] = {
    # For requests up to 100,000 tokens; no step sends more.
    "claude-haiku-5-5": (0.10, 0.50, 0.01),  # 7 October 2026
    "claude-sonnet-5-5": (2.0, 10.0, 0.10),  # 7 October 2026
    "claude-opus-5-5": (4.0, 20.0, 0.20),  # 22 September 2026
    "claude-haiku-4-5": (1.0, 5.0, 0.10),  # 24 October 2026
    "claude-sonnet-4-6": (3.0, 15.0, 0.30),  # 24 October 2026
}
# Bedrock's price factor for one region or group of regions, relative to `global.`; October 2026.
REGIONAL_FACTOR = 1.1
_REGIONAL = re.compile(r"(?:^|(?<!global)\.)anthropic\.")
# The price factor of prompt cache writes, relative to plain input, by time to live.
WRITE_FACTORS = {"5m": 1.25, "1h": 2.0}


class ModelCall(Model):
    """A model's reply: tokens, start and end (seconds since the epoch), and price.

    Cache writes for an hour are included in all cache writes. `cost_usd` is null if the price is unknown. A `decision`
    comes from a decision model, which counts no output.
    """

    step: str
    model: str
    started_at: float
    ended_at: float
    stop_reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_creation_1h_input_tokens: int = 0
    cost_usd: float | None = None
    decision: bool = False


class Limits(Model):
    """Limits of a model step; `deadline_ms` counts from the epoch.

    `budget_usd` is the maximum cost of the step's calls; null is no limit.
    Without `cache`, the verdict cache is neither read nor written; it is shared by questions with the same
    `collections`.
    """

    budget_usd: float | None = None
    deadline_ms: float | None = None
    cache: bool = True
    collections: list[str] = []


class JudgedVerdict(Model):
    """A model's verdict as JSON, with its key in the verdict cache."""

    key: str
    verdict: str


# `too_long`: not sent, or possibly truncated, because the texts may not fit the model.
Flaw = Literal["refused", "cut", "malformed", "unavailable", "too_long"]


class StepResult(Model):
    """The common fields of all results of model steps.

    `attempts` is the number of requests; `error` is the class name of the error that prevented a result, and `cause`
    its message, for the operator; `flaw` is the reply's defect; `throttled` means that a rate limit refused a request,
    and `cached` marks a cache hit. `judged` are the verdicts behind the result, kept in the trace for replays.
    """

    # Other releases may return more fields.
    model_config = ConfigDict(extra="ignore")

    calls: list[ModelCall] = []
    judged: list[JudgedVerdict] = []
    warnings: list[str] = []
    attempts: int = 0
    flaw: Flaw | None = None
    error: str | None = None
    cause: str = ""
    throttled: bool = False
    cached: bool = False

    def add_cost_of(self, earlier: "StepResult") -> Self:
        """Return this result with the calls of an earlier one prepended."""
        return self.replace(
            calls=[*earlier.calls, *self.calls],
            judged=[*earlier.judged, *self.judged],
            warnings=list(dict.fromkeys([*earlier.warnings, *self.warnings])),
            attempts=earlier.attempts + self.attempts,
            throttled=earlier.throttled or self.throttled,
        )


def cost_usd(call: ModelCall, more_prices: Mapping[str, Prices]) -> float | None:
    """Return the reported or computed price of a call in US dollars, None if unknown."""
    price = price_of(call.model, more_prices)
    if call.cost_usd is not None or price is None:
        return call.cost_usd
    per_input, per_output, per_cache_read = price
    for_an_hour = call.cache_creation_1h_input_tokens
    return (
        call.input_tokens * per_input
        + (call.cache_creation_input_tokens - for_an_hour) * per_input * WRITE_FACTORS["5m"]
        + for_an_hour * per_input * WRITE_FACTORS["1h"]
        + call.cache_read_input_tokens * per_cache_read
        + call.output_tokens * per_output
    ) / 1_000_000


def price_of(model: str, more_prices: Mapping[str, Prices]) -> Prices | None:
    """Return a model's prices, or None.

    The longest name contained in the model id wins: Bedrock's ids have prefixes and suffixes, and its regional ones
    cost more. Prices in `more_prices` are used unchanged.
    """
    prices = {**PRICES, **more_prices}
    name = max((name for name in prices if name in model), key=len, default=None)
    if name is None:
        return None
    factor = REGIONAL_FACTOR if name not in more_prices and _REGIONAL.search(model) else 1.0
    per_input, per_output, per_cache_read = prices[name]
    return per_input * factor, per_output * factor, per_cache_read * factor
