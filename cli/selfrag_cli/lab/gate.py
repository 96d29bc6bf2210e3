"""Conditions under which a run fails, for a prompt's or a model's change: an exit code, and a table in Markdown."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import Findings
from selfrag_cli.lab.measures import Measured, overall

# The exit code of a run that fails by a condition.
FAILED = 3
_MOST_QUESTIONS = 20
_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """A figure that fails a run if it is below or above a limit."""

    text: str
    name: str
    sign: str
    limit: float


@dataclass(frozen=True)
class GateCheck:
    """A condition after the run: of what, the figure, and whether the run fails by it."""

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
        listed = [f"- {_cell(question)}" for question in named[:_MOST_QUESTIONS]]
        more = [f"- and {len(named) - _MOST_QUESTIONS} more"] if len(named) > _MOST_QUESTIONS else []
        return "\n".join([*rows, *(["", *listed, *more] if listed else [])]) + "\n"


def read_conditions(texts: Sequence[str]) -> list[Condition]:
    """Read conditions such as `supported < 0.9`; raises InvalidInput for one that cannot be read."""
    conditions = []
    for text in texts:
        parts = _CONDITION.fullmatch(text)
        if parts is None:
            raise InvalidInput(f"{text!r} is no condition: --fail-if 'supported < 0.9'.")
        conditions.append(Condition(text.strip(), parts[1], parts[2], float(parts[3])))
    return conditions


def check_figures(of: str, figures: Mapping[str, float | None], conditions: Sequence[Condition]) -> Iterator[GateCheck]:
    """Check figures by conditions; one without a value fails. Raises InvalidInput for a figure that there is not."""
    for condition in conditions:
        if condition.name not in figures:
            raise InvalidInput(f"There is no {condition.name!r} to fail by; there are {', '.join(figures)}.")
        value = figures[condition.name]
        failed = value is None or _OPERATORS[condition.sign](value, condition.limit)
        yield GateCheck(of, condition.text, "no value" if value is None else f"{value:.4g}", failed)


def check_findings(findings: Findings, conditions: Sequence[Condition]) -> Gate:
    """Check the measures of each variant; the questions are those that lower the figure that fails."""
    gate = Gate()
    for variant, measures in findings.measures.items():
        for condition, check in zip(conditions, check_figures(variant, overall(measures), conditions), strict=True):
            gate.checks.append(check)
            gate.questions.extend(_below(findings, measures, condition.name) if check.failed else [])
    return gate


def _below(findings: Findings, measures: Sequence[Measured], name: str) -> list[str]:
    pairs = zip(findings.questions, measures, strict=True)
    return [gold.question for gold, of_question in pairs if of_question[name].count < of_question[name].of]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
