"""What a call to the model took, and what it cost."""

from collections.abc import Mapping

from selfrag.domain.base import Model

Prices = tuple[float, float, float]

# US dollars per million tokens: input, output, cache read. Vendor's price list, read November 2026.
# Cache reads are a tenth of the input price where the list does not say otherwise.
PRICES: dict[str, Prices] = {
    "claude-haiku-5-5": (0.10, 0.50, 0.01),
    "claude-sonnet-5-5": (2.0, 10.0, 0.10),
    "claude-opus-5-5": (4.0, 20.0, 0.40),
    "claude-haiku-4-5": (1.0, 5.0, 0.10),
    "claude-sonnet-4-6": (3.0, 15.0, 0.30),
}
# What a write to the prompt cache costs, in times of the plain input, by how long it is kept.
WRITE_FACTORS = {"5m": 1.25, "1h": 2.0}


class ModelCall(Model):
    """One reply of the model: its tokens, when it began and ended (seconds since the epoch), and its price.

    Tokens that were written to the prompt cache for an hour are among all that were written to it. `cost_usd` is null
    where the model's price is not known.
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


class Limits(Model):
    """What a step that asks the model has to keep to.

    `deadline_ms` counts from the epoch, `budget_usd` is the most that its calls may cost (null is no limit), and
    without `cache` nothing that was remembered is used, nor is anything remembered.
    """

    deadline_ms: float | None = None
    budget_usd: float | None = None
    cache: bool = True


class Judged(Model):
    """A verdict as the model gave it, in JSON, and its key in the verdict cache: what was asked, of whom, and how."""

    key: str
    verdict: str


class StepResult(Model):
    """What every step that may ask the model hands back beside its own result.

    `attempts` is how often the model was asked, whether or not it replied; `error` is the class name of the error
    that is why the step brought nothing, and `cause` its sentence, for the operator; `throttled` tells whether the
    model refused a request for being one too many. `judged` are the verdicts that it rests on; the state has none of
    them, but the trace does, so that they are known again when it is replayed.
    """

    calls: list[ModelCall] = []
    judged: list[Judged] = []
    warnings: list[str] = []
    attempts: int = 0
    error: str | None = None
    cause: str = ""
    throttled: bool = False


def cost_usd(call: ModelCall, more_prices: Mapping[str, Prices]) -> float | None:
    """The price of one call in US dollars, as it was told with the call, or None for a model without a price."""
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
    """The prices of a model, or None if they are not known.

    A model has the price of the longest name that its id holds: Bedrock's ids have more around the name.
    """
    prices = {**PRICES, **more_prices}
    known = max((name for name in prices if name in model), key=len, default=None)
    return None if known is None else prices[known]
