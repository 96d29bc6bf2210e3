"""Conditions under which a run fails, for a prompt's or a model's change: an exit code, and a table in Markdown."""

import csv
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.metrics.comparison import differences
from selfrag_cli.lab.metrics.measures import Share, overall
from selfrag_cli.lab.report import Findings

# A measure of before, by variant and question.
Before = dict[str, dict[str, Share]]
# The exit code of a run whose conditions do not hold.
FAILED = 3
MOST_QUESTIONS = 20
_CONDITION = re.compile(r"\s*([a-z0-9_]+)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Check:
    """A condition that was looked at: of what, what was found, and whether the run fails by it."""

    of: str
    condition: str
    found: str
    failed: bool


@dataclass(frozen=True)
class Gate:
    """All checks of a run, and the questions that explain them."""

    checks: list[Check] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Return whether the run fails."""
        return any(check.failed for check in self.checks)

    def markdown(self) -> str:
        """Return the checks as a table, and the questions as a list, for a pull request."""
        rows = ["| Of | Fails if | Found | |", "| --- | --- | --- | --- |"]
        for check in self.checks:
            cells = (check.of, check.condition, check.found, "**fails**" if check.failed else "holds")
            rows.append(f"| {' | '.join(map(_cell, cells))} |")
        named = list(dict.fromkeys(self.questions)) if self.failed else []
        listed = [f"- {_cell(question)}" for question in named[:MOST_QUESTIONS]]
        more = [f"- and {len(named) - MOST_QUESTIONS} more"] if len(named) > MOST_QUESTIONS else []
        return "\n".join([*rows, *(["", *listed, *more] if listed else [])]) + "\n"


def checked_conditions(conditions: Sequence[str]) -> list[str]:
    """Return them; raises InvalidInput for one that cannot be read."""
    for one in conditions:
        if not _CONDITION.fullmatch(one):
            raise InvalidInput(f"{one!r} is no condition: --fail-if 'supported < 0.9'.")
    return list(conditions)


def check_figures(of: str, figures: Mapping[str, float | None], conditions: Sequence[str]) -> Iterator[Check]:
    """Look at figures under conditions; one that is not known fails. Raises InvalidInput for one that there is not."""
    for condition in conditions:
        found = _CONDITION.fullmatch(condition)
        name, sign, limit = found.groups() if found else ("", "<", "0")
        if name not in figures:
            raise InvalidInput(f"There is no {name!r} to fail by; there are {', '.join(figures)}.")
        value = figures[name]
        failed = value is None or _OPERATORS[sign](value, float(limit))
        yield Check(of, condition, "not known" if value is None else f"{value:.4g}", failed)


def check_findings(findings: Findings, conditions: Sequence[str], before: Before | None, no_worse_than: float) -> Gate:
    """Look at the measures of each variant, and whether its answers are worse than before by the primary measure.

    Those of before are of the variant of this name, or of the first one where none is called so.
    """
    gate, primary = Gate(), findings.primary
    for name, measures in findings.measures.items():
        checks = list(check_figures(name, overall(measures), conditions))
        gate.checks.extend(checks)
        texts = [question.question for question in findings.questions]
        if any(check.failed for check in checks):
            shares = [one[primary] for one in measures]
            gate.questions.extend(text for text, one in zip(texts, shares, strict=True) if one.count < one.of)
        if before is not None:
            of_before = before.get(name) or next(iter(before.values()), {})
            check, worse = _compared(findings, name, of_before, no_worse_than)
            gate.checks.append(check)
            gate.questions.extend(texts[at] for at in worse)
    return gate


def _compared(findings: Findings, name: str, before: Mapping[str, Share], margin: float) -> tuple[Check, list[int]]:
    primary, questions = findings.primary, findings.questions
    now = [one[primary] for one in findings.measures[name]]
    both = [at for at, question in enumerate(questions) if question.id in before and now[at].of]
    earlier, later = [{primary: before[questions[at].id]} for at in both], [{primary: now[at]} for at in both]
    found = differences(earlier, later, primary, [questions[at].origin for at in both]).get(primary)
    condition = f"{primary} is more than {margin:g} worse than before"
    if found is None:
        return Check(name, condition, "not known", True), []
    told = f"{found.value:+.4g} ({found.low:+.4g} to {found.high:+.4g}) over {found.questions} questions"
    worse = [at for at in both if now[at].count < before[questions[at].id].count]
    return Check(name, condition, told, found.value < -margin), worse


def read_baseline(path: Path, measure: str) -> Before:
    """Read a measure by variant and question from what `--csv` wrote; raises InvalidInput for another file."""
    found: Before = {}
    told = f"{path} has no {measure} by question: it is to be what --csv wrote."
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                of_variant = found.setdefault(row["variant"], {})
                if row[measure] != "":
                    of_variant[row["question_id"]] = Share(float(row[measure]))
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(told) from error
    if not any(found.values()):
        raise InvalidInput(told)
    return found


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
