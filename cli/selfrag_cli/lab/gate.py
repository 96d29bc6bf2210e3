"""The limits of a run: the dollars that it may spend, and the conditions under which it fails."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from selfrag.domain.errors import InvalidInput

# A question or verdict is only begun with so many times the mean cost left, so that the limit cuts nothing short.
MARGIN = 10
# The dollars with which a question is begun before the cost of one is known.
MIN_QUESTION_USD = 0.1
# After so many failures in a row a run gives up.
MAX_FAILURES = 5
# The most dollars that a policy may allow a question.
_MAX_QUESTION_USD = 100.0
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


@dataclass
class RunBudget:
    """The dollars of a run: `most` in all, `spent` so far; `costs` are those of the questions or verdicts so far.

    The workflow keeps a question within its limit (`policy.max_cost_usd`), and cuts an answer short near the limit. So
    one is only begun with `MARGIN` times the mean cost left, or `least` before the first.
    """

    most: float
    spent: float
    costs: list[float] = field(default_factory=list)
    least: float = 0.0
    _held: float = 0.0

    @property
    def required(self) -> float:
        """Return the dollars with which the next question may begin."""
        return MARGIN * fmean(self.costs) if self.costs else self.least

    def hold(self, slots: int, own: float | None = None) -> float | None:
        """Reserve the limit of the next of `slots` questions that could begin now; None if no money is left for it.

        `own` is the limit of its policy, None for none.
        """
        free = self.most - self.spent - self._held
        limit = min(_MAX_QUESTION_USD, own or _MAX_QUESTION_USD, max(self.required, free / slots))
        if not 0 < limit <= free:
            return None
        self._held += limit
        return limit

    def settle(self, limit: float, cost: float | None) -> None:
        """Deduct the cost of a question with this limit; all of the limit if the cost is unknown."""
        self._held -= limit
        self.spent += limit if cost is None else cost
        # A cached verdict costs nothing, and says nothing about the next one.
        if cost:
            self.costs.append(cost)


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
