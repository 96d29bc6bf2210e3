"""The dollars of a run: the expected cost of questions, and the budget that each gets before it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from selfrag.domain.calls import Prices, price_of
from selfrag.domain.questions import Policy
from selfrag.runtime.models import FIRST
from selfrag_cli.lab.runs.results import Results

# The calls and a call's tokens, read and written, of a question answered at the first try (docs/operate.md).
TOKENS: dict[str, tuple[int, int, int]] = {
    "decide_retrieval": (1, 1140, 79),
    "grade_relevance": (4, 1346, 91),
    "generate": (1, 2803, 135),
    "grade_support": (1, 2993, 96),
    "grade_utility": (1, 1257, 79),
}
# The tokens of a passage, of which a call for an answer has four there.
PASSAGE = 230
# The share of answers whose first judge of support is doubted, so that a second one is asked: assumed, not measured.
DOUBTED = 0.1
# A question is only begun if so many times its usual cost is left, so that the limit cuts nothing short.
MARGIN = 10
# The most dollars that a policy may allow a question.
_MOST = 100.0
# The steps that a strategy with several answers takes for each passage.
_OF_PASSAGE = ("grade_relevance", "generate", "grade_support")


def usual_calls(policy: Policy) -> dict[str, int]:
    """Return the calls of a question by step: answered at the first try, or with the largest tree of sentences."""
    k = policy.top_k
    match policy.strategy:
        case "naive":
            return {"generate": 1}
        case "corrective":
            return {"grade_relevance": k, "generate": 1}
        case "candidates":
            return {"decide_retrieval": 1, **dict.fromkeys((*_OF_PASSAGE, "grade_utility"), k)}
        case "segments":
            # After the first level each of the stored paths goes on.
            paths = 1 + (policy.max_segments - 1) * policy.beam
            return {"decide_retrieval": paths, **dict.fromkeys(_OF_PASSAGE, paths * k), "grade_utility": policy.beam}
    return {**dict.fromkeys(TOKENS, 1), "grade_relevance": k}


def usual_usd(models: Mapping[str, str], prices: Mapping[str, Prices], policy: Policy) -> float | None:
    """Return the dollars of a question with `usual_calls`, without prompt caching; None if a model has no price.

    `models` are those of the steps, as in the settings.
    """
    calls: dict[str, float] = dict(usual_calls(policy))
    if FIRST in models and "grade_support" in calls:
        calls |= {FIRST: calls["grade_support"], "grade_support": DOUBTED * calls["grade_support"]}
    passages = 1 if policy.strategy in ("candidates", "segments") else policy.top_k
    dollars = 0.0
    for step, count in calls.items():
        price = price_of(models[step], prices)
        if price is None:
            return None
        _, read, written = TOKENS.get(step, TOKENS["grade_support"])
        if step in (FIRST, "generate", "grade_support"):
            read += (passages - TOKENS["grade_relevance"][0]) * PASSAGE
        dollars += count * (read * price[0] + written * price[1]) / 1_000_000
    return dollars


def estimated_usd(variants: Sequence[str], results: Results, usual: Mapping[str, float | None]) -> float | None:
    """Estimate the dollars of answers, one for each name of a variant: by its mean so far, else by the usual cost."""
    means = {name: usual[name] for name in variants}
    for name in means:
        paid = [result.usd for result in results.of(name) if result.usd is not None]
        means[name] = fmean(paid) if paid else means[name]
    costs = [means[name] for name in variants]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


@dataclass
class RunBudget:
    """The dollars of a run: `most` in all, `spent` so far; a question that may not cost `least` is not asked.

    The workflow holds a question to its limit (`policy.max_cost_usd`), and cuts an answer short where the limit is
    near. So `least` should be many times what a question usually costs.
    """

    most: float
    spent: float
    least: float
    _held: float = 0.0

    def hold(self, slots: int, own: float | None) -> float | None:
        """Reserve the limit of the next of `slots` questions that could begin now; None if no money is left for it.

        `own` is the limit of its policy, None for none.
        """
        free = self.most - self.spent - self._held
        limit = min(_MOST, own or _MOST, max(self.least, free / slots))
        if not 0 < limit <= free:
            return None
        self._held += limit
        return limit

    def settle(self, limit: float, cost: float | None) -> None:
        """Take off what a question with this limit has cost; all of the limit if the cost is not known."""
        self._held -= limit
        self.spent += limit if cost is None else cost
