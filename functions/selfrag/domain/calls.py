"""Calls to the model: their usage and their prices."""

import re
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import ConfigDict

from selfrag.domain.base import Model

Prices = tuple[float, float, float]

# US dollars per million tokens: input, output, cache read, by the vendor's price list of the day behind each row.
PRICES: dict[str, Prices] = {
    # Of requests up to 100,000 tokens; no step sends more.
    "claude-haiku-5-5": (0.10, 0.50, 0.01),  # 7 October 2026
    "claude-sonnet-5-5": (2.0, 10.0, 0.10),  # 7 October 2026
    "claude-opus-5-5": (4.0, 20.0, 0.20),  # 22 September 2026
    "claude-haiku-4-5": (1.0, 5.0, 0.10),  # 24 October 2026
    "claude-sonnet-4-6": (3.0, 15.0, 0.30),  # 24 October 2026
}
# Bedrock's price of these models in one region or group of regions, in times of `global.`; October 2026.
REGIONAL_FACTOR = 1.1
_REGIONAL = re.compile(r"(?:^|(?<!global)\.)anthropic\.")
# The price of a write to the prompt cache, in times of the plain input, by its time to live.
WRITE_FACTORS = {"5m": 1.25, "1h": 2.0}


class ModelCall(Model):
    """A reply of the model: its tokens, when it began and ended (seconds since the epoch), and its price.

    Tokens written to the prompt cache for an hour are among all those written to it. `cost_usd` is null if the model's
    price is not known. A `decision` is of a decision model, which counts no output.
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


class CallBudget(Model):
    """The most that a step's calls may cost; null is no limit."""

    budget_usd: float | None = None


class Limits(CallBudget):
    """The limits of a step that asks the model; `deadline_ms` counts from the epoch.

    Without `cache`, the verdict cache is neither read nor written; it is shared by questions with the same
    `collections`.
    """

    deadline_ms: float | None = None
    cache: bool = True
    collections: list[str] = []


class JudgedVerdict(Model):
    """A verdict as the model gave it, in JSON, and its key in the verdict cache."""

    key: str
    verdict: str


# `too_long` was not sent, or not read as a whole: the texts may not fit the model.
Flaw = Literal["refused", "cut", "malformed", "unavailable", "too_long"]


class StepResult(Model):
    """The fields that every step which may ask the model returns, besides its own result.

    `attempts` is the number of requests, answered or not; `error` is the class name of the error without which the step
    would have a result, and `cause` its sentence, for the operator; `flaw` says what is wrong with the reply;
    `throttled` says that a rate limit refused a request, and `cached` marks a cache hit. `judged` are the verdicts
    behind the result: they stay out of the state, but a replay finds them in the trace.
    """

    # Another release may return more.
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

    def with_cost_of(self, earlier: "StepResult") -> Self:
        """Return this result with the requests of an earlier one before its own."""
        return self.model_copy(
            update={
                "calls": [*earlier.calls, *self.calls],
                "judged": [*earlier.judged, *self.judged],
                "warnings": list(dict.fromkeys([*earlier.warnings, *self.warnings])),
                "attempts": earlier.attempts + self.attempts,
                "throttled": earlier.throttled or self.throttled,
            }
        )


def cost_usd(call: ModelCall, more_prices: Mapping[str, Prices]) -> float | None:
    """Return the price of a call in US dollars, as it came with the call, or None for a model without a price."""
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
    """Return the prices of a model, or None if they are not known.

    A model has the price of the longest name that its id contains: Bedrock's ids have more around the name, and its
    regional ones cost more. A price of `more_prices` is taken as it is.
    """
    prices = {**PRICES, **more_prices}
    name = max((name for name in prices if name in model), key=len, default=None)
    if name is None:
        return None
    factor = REGIONAL_FACTOR if name not in more_prices and _REGIONAL.search(model) else 1.0
    per_input, per_output, per_cache_read = prices[name]
    return per_input * factor, per_output * factor, per_cache_read * factor
