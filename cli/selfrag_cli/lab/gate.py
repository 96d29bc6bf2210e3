"""Conditions under which a run fails, for a prompt's or a model's change: an exit code, and a table in Markdown."""

import csv
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.comparison import differences
from selfrag_cli.lab.findings import Findings
from selfrag_cli.lab.measures import Measured, Share, overall

# The exit code of a run that fails by a condition.
FAILED = 3
_MOST_QUESTIONS = 20
_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")
_WORSE = re.compile(r"\s*([a-z0-9_]+)\s*<\s*(\S+\.csv)(?:\s+-\s*(\d+(?:\.\d+)?))?\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """A figure that fails a run if it is below or above a limit.

    With answers of `before`, by variant and question, it fails if it is worse than these by more than the limit.
    """

    text: str
    name: str
    sign: str
    limit: float
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


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


def read_conditions(texts: Sequence[str], compares: bool = False) -> list[Condition]:
    """Read conditions such as `supported < 0.9`, and `match < before.csv - 0.03` where the command `compares`.

    Raises InvalidInput for one that cannot be read.
    """
    conditions = []
    for text in texts:
        worse, plain = _WORSE.fullmatch(text) if compares else None, _CONDITION.fullmatch(text)
        if worse:
            name, path, margin = worse.groups()
            conditions.append(Condition(text.strip(), name, "<", float(margin or 0), _before(path, name)))
        elif plain:
            conditions.append(Condition(text.strip(), plain[1], plain[2], float(plain[3])))
        else:
            raise InvalidInput(f"{text!r} is no condition: --fail-if 'supported < 0.9'.")
    return conditions


def _before(path: str, name: str) -> dict[str, dict[str, float]]:
    before: dict[str, dict[str, float]] = {}
    sentence = f"{path} has no {name} by question: it is to be what --output wrote."
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row[name] != "":
                    before.setdefault(row["variant"], {})[row["question_id"]] = float(row[name])
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(sentence) from error
    if not before:
        raise InvalidInput(sentence)
    return before


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
        for condition in conditions:
            if condition.before:
                check, questions = _compared(findings, variant, condition)
            else:
                (check,) = check_figures(variant, overall(measures), [condition])
                questions = _below(findings, measures, condition.name)
            gate.checks.append(check)
            gate.questions.extend(questions if check.failed else [])
    return gate


def _below(findings: Findings, measures: Sequence[Measured], name: str) -> list[str]:
    pairs = zip(findings.questions, measures, strict=True)
    return [gold.question for gold, of_question in pairs if of_question[name].count < of_question[name].of]


def _compared(findings: Findings, variant: str, worse: Condition) -> tuple[GateCheck, list[str]]:
    """Compare a variant with the one of this name before, or the first one where none has the name."""
    name, before = worse.name, worse.before.get(variant) or next(iter(worse.before.values()))
    pairs = [
        (gold.question, Share(before[gold.id]), of_question[name])
        for gold, of_question in zip(findings.questions, findings.measures[variant], strict=True)
        if gold.id in before and name in of_question and of_question[name].of
    ]
    gap = differences([{name: share} for _, share, _ in pairs], [{name: share} for _, _, share in pairs]).get(name)
    if gap is None:
        return GateCheck(variant, worse.text, "no value", True), []
    figure = f"{gap.value:+.4g} ({gap.low:+.4g} to {gap.high:+.4g}) over {gap.questions} questions"
    lower = [text for text, earlier, now in pairs if now.count < earlier.count * now.of]
    return GateCheck(variant, worse.text, figure, gap.value < -worse.limit), lower


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
