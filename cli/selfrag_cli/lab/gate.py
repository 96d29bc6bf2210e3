"""The limits of a run: the dollars that it may spend, and the conditions under which it fails."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from selfrag.domain.calls import Prices, price_of
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy
from selfrag.runtime.models import FIRST

# The calls and a call's tokens, read and written, of a question answered at the first try (docs/operate.md).
TOKENS: dict[str, tuple[int, int, int]] = {
    "decide_retrieval": (1, 1140, 79),
    "grade_relevance": (4, 1346, 91),
    "generate": (1, 2803, 135),
    "grade_support": (1, 2993, 96),
    "grade_utility": (1, 1257, 79),
}
# The tokens of a passage; a call for an answer has four of them in the table above.
PASSAGE = 230
# The share of answers whose first judge of support is doubted, so that a second one is asked: assumed, not measured.
DOUBTED = 0.1
# A question or verdict is only begun if so many times its usual cost is left, so that the limit cuts nothing short.
MARGIN = 10
# After so many failures in a row a run gives up.
MAX_FAILURES = 5
# The most dollars that a policy may allow a question.
_MAX_QUESTION_USD = 100.0
# The steps that a strategy with several answers takes for each passage.
_STEPS_PER_PASSAGE = ("grade_relevance", "generate", "grade_support")
# The exit code of a run that fails by a condition.
FAILED = 3
_MAX_LISTED_QUESTIONS = 20
_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def usual_calls(policy: Policy) -> dict[str, int]:
    """Return the calls of a question by step: answered at the first try, or with the largest tree of sentences."""
    k = policy.top_k
    match policy.strategy:
        case "naive":
            return {"generate": 1}
        case "corrective":
            return {"grade_relevance": k, "generate": 1}
        case "candidates":
            return {"decide_retrieval": 1, **dict.fromkeys((*_STEPS_PER_PASSAGE, "grade_utility"), k)}
        case "segments":
            # After the first level each of the stored paths goes on.
            paths = 1 + (policy.max_segments - 1) * policy.beam
            per_passage = dict.fromkeys(_STEPS_PER_PASSAGE, paths * k)
            return {"decide_retrieval": paths, **per_passage, "grade_utility": policy.beam}
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


@dataclass
class RunBudget:
    """The dollars of a run: `most` in all, `spent` so far; a question that may not cost `least` is not asked.

    The workflow keeps a question within its limit (`policy.max_cost_usd`), and cuts an answer short near the limit. So
    `least` should be many times what a question usually costs.
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
        limit = min(_MAX_QUESTION_USD, own or _MAX_QUESTION_USD, max(self.least, free / slots))
        if not 0 < limit <= free:
            return None
        self._held += limit
        return limit

    def settle(self, limit: float, cost: float | None) -> None:
        """Deduct the cost of a question with this limit; all of the limit if the cost is unknown."""
        self._held -= limit
        self.spent += limit if cost is None else cost


@dataclass(frozen=True)
class Condition:
    """A figure that fails a run if it is below or above a limit."""

    text: str
    name: str
    sign: str
    limit: float


@dataclass(frozen=True)
class GateCheck:
    """The result of one condition for one variant, judge or replay."""

    of: str
    condition: str
    figure: str
    failed: bool


@dataclass(frozen=True)
class Gate:
    """All checks of a run, and the questions that explain them."""

    checks: list[GateCheck] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Return whether the run fails."""
        return any(check.failed for check in self.checks)

    def markdown(self) -> str:
        """Return the checks as a table, and the questions as a list, for a pull request."""
        rows = ["| Of | Fails if | Figure | |", "| --- | --- | --- | --- |"]
        for check in self.checks:
            cells = (check.of, check.condition, check.figure, "**fails**" if check.failed else "holds")
            rows.append(f"| {' | '.join(map(_cell, cells))} |")
        named = list(dict.fromkeys(self.questions)) if self.failed else []
        listed = [f"- {_cell(question)}" for question in named[:_MAX_LISTED_QUESTIONS]]
        if len(named) > len(listed):
            listed.append(f"- and {len(named) - len(listed)} more")
        return "\n".join([*rows, *(["", *listed] if listed else [])]) + "\n"


def read_conditions(texts: Sequence[str]) -> list[Condition]:
    """Return conditions such as `supported < 0.9`; raises InvalidInput for one that cannot be read."""
    conditions = []
    for text in texts:
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise InvalidInput(f"{text!r} is no condition: --fail-if 'supported < 0.9'.")
        conditions.append(Condition(text.strip(), parts[1], parts[2], float(parts[3])))
    return conditions


def check_figures(of: str, figures: Mapping[str, float | None], conditions: Sequence[Condition]) -> Iterator[GateCheck]:
    """Yield the result of each condition; a figure without a value fails. Raises InvalidInput for an unknown figure."""
    for condition in conditions:
        if condition.name not in figures:
            raise InvalidInput(f"There is no {condition.name!r} to fail by; there are {', '.join(figures)}.")
        value = figures[condition.name]
        failed = value is None or _OPERATORS[condition.sign](value, condition.limit)
        yield GateCheck(of, condition.text, "no value" if value is None else f"{value:.4g}", failed)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
