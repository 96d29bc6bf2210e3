"""The expected cost of questions: by their strategy and the prices of models, then by what was paid so far."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from selfrag.domain.calls import Prices, price_of
from selfrag.domain.questions import Policy
from selfrag.runtime.models import FIRST
from selfrag_cli.lab.runs.results import Results
from selfrag_cli.lab.runs.tasks import Task

# What a question takes that is answered at the first try, from docs/costs.md: calls, and tokens of one.
TOKENS: dict[str, tuple[int, int, int]] = {
    "decide_retrieval": (1, 1140, 79),
    "grade_relevance": (4, 1346, 91),
    "generate": (1, 2803, 135),
    "grade_support": (1, 2993, 96),
    "grade_utility": (1, 1257, 79),
}
# The tokens of a passage, of which a call for an answer has four there.
PASSAGE = 230
# How often the first judge of support is doubted, so that the step's own model is asked, too: assumed, not measured.
DOUBTED = 0.1
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
            # After the first level each of the paths that are kept goes on.
            paths = 1 + (policy.max_segments - 1) * policy.beam
            return {"decide_retrieval": paths, **dict.fromkeys(_OF_PASSAGE, paths * k), "grade_utility": policy.beam}
    return {**dict.fromkeys(TOKENS, 1), "grade_relevance": k}


def usual_usd(models: Mapping[str, str], prices: Mapping[str, Prices], policy: Policy) -> float | None:
    """Return the dollars of a question by this policy that goes as `usual_calls` says; None if a model has no price.

    `models` are those of the steps, as in the settings. Nothing is read from Claude's prompt cache.
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


def estimated_usd(tasks: Sequence[Task], results: Results, usual: Mapping[str, float | None]) -> float | None:
    """Estimate the dollars of the tasks: by the mean of the variant so far, else by what is usual."""
    means = {task.variant.name: usual[task.variant.name] for task in tasks}
    for name in means:
        known = [result.usd for result in results.of(name) if result.usd is not None]
        means[name] = fmean(known) if known else means[name]
    costs = [means[task.variant.name] for task in tasks]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
