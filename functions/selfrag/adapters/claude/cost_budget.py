"""A task's cost budget, as the token limit of the next reply.

The service reports a call's cost only afterwards. Before, an upper estimate covers the request and text that the
service adds. Text marked for the prompt cache is priced as a write.
"""

from collections.abc import Mapping
from typing import Literal

from selfrag.adapters.claude.profiles import MessagesRequest, Profile
from selfrag.domain.calls import WRITE_FACTORS, ModelCall, Prices, price_of
from selfrag.domain.errors import BudgetExceeded, Misconfigured
from selfrag.text.budgets import most_tokens

Kind = Literal["verdict", "answer"]

MAX_TOKENS = 4096
# A verdict is a sentence and a word or number; one on an answer repeats its claims.
VERDICT_TOKENS = 800
# Tokens besides the claims.
_OVERHEAD_TOKENS = 400
# A shorter limit would only produce truncated replies.
MIN_TOKENS: dict[Kind, int] = {"verdict": 128, "answer": 256}
# The service's additional text for a tool, a schema or citations.
_ADDED_TOKENS = 400
_MILLION = 1_000_000


class CostBudget:
    """A task's budget in dollars, None for no limit; `prices` adds to the price table."""

    def __init__(self, budget_usd: float | None, prices: Mapping[str, Prices]) -> None:
        self._left, self.prices = budget_usd, prices
        self._input_usd = 0.0

    def tokens_for(self, request: MessagesRequest, kind: Kind, most: int = MAX_TOKENS) -> int:
        """Return the reply's token limit, at most `most`.

        Raises BudgetExceeded if too few are left for its kind, and Misconfigured for a model without a price.
        """
        if self._left is None:
            return most
        price = price_of(request["model"], self.prices)
        if price is None:
            raise Misconfigured(
                f"a question with max_cost_usd needs the price of {request['model']}: give it in `prices` "
                "(SELFRAG_PRICES) as dollars per million tokens of input, output and cache read"
            )
        input_usd = _input_tokens(request) * price[0] / _MILLION
        # A model of this machine costs nothing.
        tokens = min(most, int((self._left - input_usd) * _MILLION / price[1])) if price[1] else most
        if tokens < MIN_TOKENS[kind]:
            raise BudgetExceeded(f"what is left of max_cost_usd buys no {kind}")
        self._input_usd = input_usd
        return tokens

    def book_cost(self, call: ModelCall) -> None:
        """Subtract the cost of a call."""
        if self._left is not None and call.cost_usd is not None:
            self._left -= call.cost_usd

    def book_loss(self) -> None:
        """Subtract the input cost of a request whose reply did not report usage."""
        if self._left is not None:
            self._left -= self._input_usd


def reply_tokens(kind: Kind, profile: Profile, judged: str = "") -> int:
    """Return the token limit of a reply; verdicts on a `judged` answer repeat its claims, and thoughts count.

    Bedrock reserves these in the account's quota during a request.
    """
    if kind == "answer":
        # A small model may never stop, and would use up the question's time.
        return MAX_TOKENS // 4 if profile.effort == "none" else MAX_TOKENS
    if profile.thinks and not profile.thinking and profile.effort != "none":
        return MAX_TOKENS
    return min(MAX_TOKENS, max(VERDICT_TOKENS, _OVERHEAD_TOKENS + most_tokens(judged)))


def _input_tokens(request: MessagesRequest) -> float:
    """Return the most input tokens of a request, weighting those that may be written to the prompt cache."""
    marked = [block for block in request["system"] if "cache_control" in block]
    dearer = sum(most_tokens(b) * (WRITE_FACTORS[b["cache_control"].get("ttl", "5m")] - 1) for b in marked)
    return _ADDED_TOKENS + most_tokens(request) + dearer
