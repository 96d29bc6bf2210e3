"""Agreement of each judge of a step with people's labels, and its cost."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.judge import (
    CORRECTNESS,
    SUPPORT,
    UNGRADED,
    Case,
    GraderOverrides,
    Progress,
    grader_factory,
    judge_cases,
    open_graders,
    sum_costs,
)
from selfrag_cli.lab.records import read_feedback
from selfrag_cli.lab.thresholds import Adoption, Outcome

# The lowest score of IsUse with which an answer goes out, by default.
USEFUL = 3
# The z of intervals of 95%.
Z = NormalDist().inv_cdf(0.975)


class LabelledRow(BaseModel):
    """A case and the label that people gave it."""

    label: Annotated[str, Field(coerce_numbers_to_str=True)]
    claim: str = ""
    passages: list[str] = []
    question: str = ""
    answer: str = ""
    right: list[str] = []
    id: str = ""

    @property
    def identity(self) -> str:
        """Return its id, else a hash of its texts."""
        texts = self.model_dump_json(exclude={"label", "id"})
        return self.id or hashlib.sha256(texts.encode()).hexdigest()

    @property
    def material(self) -> list[dict[str, object]]:
        """Return the passages as a task has them, with their numbers as ids."""
        numbered = [(str(at), text) for at, text in enumerate(self.passages, 1)]
        return [Passage(passage_id=at, document=at, text=text).model_dump() for at, text in numbered]


@dataclass(frozen=True)
class Kind:
    """A grader's labels, the best first, those that pass an answer or passage, and the fields that it needs."""

    labels: tuple[str, ...]
    passing: tuple[str, ...]
    needs: tuple[str, ...]
    task: Callable[[LabelledRow], dict[str, object]]
    label: Callable[[Mapping[str, Any]], str]

    def outcome(self, people: str, verdict: Mapping[str, Any]) -> Outcome | None:
        """Return a verdict against people's label; None for an ungraded one.

        The confidence of Retrieve is the probability of its label, whichever that is.
        """
        label = self.label(verdict)
        if label == UNGRADED:
            return None
        return Outcome(people in self.passing, label in self.passing, verdict.get("probability"))


def _support_label(fields: Mapping[str, object]) -> str:
    """Return IsSup's level as a label; of no support, whether a passage denies it."""
    verdict = SupportVerdict.model_validate(fields)
    denied = any(claim.support == "contradicted" for claim in verdict.claims)
    levels = {"fully_supported": "supported", "partially_supported": "partial", "ungraded": UNGRADED}
    return levels.get(verdict.level or "ungraded", "contradicted" if denied else "unsupported")


KINDS: dict[str, Kind] = {
    SUPPORT: Kind(
        ("supported", "partial", "unsupported", "contradicted"),
        ("supported",),
        ("claim", "passages"),
        lambda row: {"question": row.question, "answer": row.claim, "passages": row.material},
        _support_label,
    ),
    "grade_relevance": Kind(
        ("relevant", "irrelevant"),
        ("relevant",),
        ("question", "passages"),
        lambda row: {"question": row.question, "passage": row.material[0]},
        lambda verdict: RelevanceVerdict.model_validate(verdict).label,
    ),
    "decide_retrieval": Kind(
        ("yes", "no"),
        ("yes",),
        ("question",),
        lambda row: {"question": row.question},
        lambda verdict: RetrievalVerdict.model_validate(verdict).decision,
    ),
    "grade_utility": Kind(
        ("5", "4", "3", "2", "1"),
        tuple(str(score) for score in range(USEFUL, 6)),
        ("question", "answer"),
        lambda row: {"question": row.question, "answer": row.answer},
        lambda verdict: str(UtilityVerdict.model_validate(verdict).score or UNGRADED),
    ),
    CORRECTNESS: Kind(
        ("yes", "partly", "no"),
        ("yes",),
        ("question", "right", "answer"),
        lambda row: {"question": row.question, "right": row.right, "answer": row.answer},
        lambda verdict: str(verdict["says"] or UNGRADED),
    ),
}


def read_rows(path: Path, step: str) -> list[LabelledRow]:
    """Return the labelled rows of a file for a grader, or the claims that people labelled in a file of feedback.

    Raises InvalidInput with the number of a line that cannot be judged.
    """
    feedback = read_feedback(path)
    if feedback is None:
        lines = path.read_text(encoding="utf-8").splitlines()
        numbered = [(f"{path}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]
        rows = [_check_row(where, _parse_row(where, line), KINDS[step]) for where, line in numbered]
    else:
        rows = [_check_row(str(path), row, KINDS[step]) for item in feedback for row in _claims_of(item)]
    if not rows:
        raise InvalidInput(f"{path} holds no row.")
    return rows


def _claims_of(feedback: Feedback) -> Iterator[LabelledRow]:
    for claim in feedback.claims:
        passages = [feedback.evidence[at] for at in claim.passages]
        yield LabelledRow(label=claim.label, claim=claim.claim, passages=passages, question=feedback.question)


def _parse_row(where: str, line: str) -> LabelledRow:
    try:
        return LabelledRow.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{where}: it is no row: {error.errors()[0]['msg']}.") from error


def _check_row(where: str, row: LabelledRow, kind: Kind) -> LabelledRow:
    if row.label not in kind.labels:
        raise InvalidInput(f"{where}: the label {row.label!r} is none of {', '.join(kind.labels)}.")
    missing = [name for name in kind.needs if not getattr(row, name)]
    if missing:
        raise InvalidInput(f"{where}: {' and '.join(missing)} is missing.")
    return row


class Interval(BaseModel):
    """The ends of a 95% interval."""

    low: float
    high: float


class Rate(NamedTuple):
    """A share of `n` graded rows, and its interval."""

    share: float
    interval: Interval
    n: int


class JudgeFigures(BaseModel):
    """The figures of graded rows; a rate of no row is null.

    `passing_right` is the share that passes of the rows that should, and `false_strips` the rest of them;
    `failing_right` is the share that fails of the rows that should, and `false_passes` the rest of them. `precision` is
    the share of right ones among the `passed` rows, and `balanced` the mean of `passing_right` and `failing_right`.
    """

    graded: int
    passed: int
    passing_right: Rate | None
    failing_right: Rate | None
    false_passes: Rate | None
    false_strips: Rate | None
    precision: Rate | None
    balanced: float | None


def compute_figures(outcomes: Sequence[Outcome]) -> JudgeFigures:
    """Return the figures of graded rows."""
    passing = [outcome.passed for outcome in outcomes if outcome.should_pass]
    failing = [outcome.passed for outcome in outcomes if not outcome.should_pass]
    passing_right, failing_right = _rate(sum(passing), len(passing)), _rate(failing.count(False), len(failing))
    passed = sum(passing) + sum(failing)
    return JudgeFigures(
        graded=len(outcomes),
        passed=passed,
        passing_right=passing_right,
        failing_right=failing_right,
        false_passes=_rate(sum(failing), len(failing)),
        false_strips=_rate(passing.count(False), len(passing)),
        precision=_rate(sum(passing), passed),
        balanced=(passing_right.share + failing_right.share) / 2 if passing_right and failing_right else None,
    )


def _rate(count: int, of: int) -> Rate | None:
    """Return a share with Wilson's interval, which is no point at 0 and at 1; None of no row."""
    if not of:
        return None
    share, square = count / of, Z**2 / of
    middle, half = share + square / 2, sqrt(square * share * (1 - share) + square**2 / 4)
    low, high = max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
    return Rate(share, Interval(low=low, high=high), of)


class JudgeRates(JudgeFigures):
    """The figures of a way to judge.

    Rows without a verdict are `ungraded`, and count in no rate. `wrong` are the claims or questions with a wrong label.
    `calls` and `usd` are those of this run, which pays for no verdict twice. `outcomes` have the ids of their rows.
    """

    name: str
    model: str
    confusion: dict[str, dict[str, int]]
    ungraded: int
    wrong: list[str]
    calls: dict[str, int]
    usd: float | None
    outcomes: list[tuple[str, Outcome]] = Field(exclude=True)

    @property
    def rates(self) -> dict[str, float | None]:
        """Return the figures of a gate."""
        names = ("passing_right", "failing_right", "false_passes", "false_strips", "precision")
        rates = {name: getattr(self, name) for name in names}
        return {"balanced": self.balanced, **{name: rate and rate.share for name, rate in rates.items()}}


class GraderReport(BaseModel):
    """The figures of each way over the rows that all have judged, and the judge that is adopted, if there is one."""

    step: str
    rows: int
    judged: int
    ways: list[JudgeRates]
    adoption: Adoption | None = None

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Return the result of conditions on each way; the claims and questions with a wrong label explain them."""
        checks = [check for way in self.ways for check in check_figures(way.name, way.rates, conditions)]
        return Gate(checks, [text for way in self.ways for text in way.wrong])


def grade_rows(
    step: str,
    rows: Sequence[LabelledRow],
    ways: Mapping[str, GraderOverrides],
    parallel: int,
    max_cost: float | None,
    progress: Progress,
) -> GraderReport:
    """Judge the rows in each way, store every verdict in the home's cache, and return the figures.

    Raises what `open_graders` and `judge_cases` raise. When the dollars are spent, the rows that are left are not
    judged.
    """
    left, judges, verdicts = max_cost, {}, {}
    cases = {at: Case(step, KINDS[step].task(row)) for at, row in enumerate(rows)}
    for name, overrides in ways.items():
        with open_graders(overrides, {}) as grade:
            judges[name] = _judge_names(step, overrides)
            verdicts[name] = judge_cases(cases, grade, parallel, left, progress)
        left = None if left is None else left - (sum_costs(list(verdicts[name].values())) or 0.0)
    judged = [at for at in cases if all(at in of and not of[at].error for of in verdicts.values())]
    reports = [_way_report(name, judges[name], step, rows, of, judged) for name, of in verdicts.items()]
    return GraderReport(step=step, rows=len(rows), judged=len(judged), ways=reports)


def _judge_names(step: str, overrides: GraderOverrides) -> str:
    """Return the names of those who judge, the decision model first."""
    grader = grader_factory(step)(Limits())
    names = [grader.decider.judge_fields["model"]] if grader.decider else []
    return ", ".join(names if names and overrides.graders.get(step) == "decider" else [*names, grader.model])


def _way_report(
    name: str, model: str, step: str, rows: Sequence[LabelledRow], results: Mapping[int, StepResult], judged: list[int]
) -> JudgeRates:
    kind = KINDS[step]
    verdicts = {at: results[at].model_dump()["verdict"] for at in judged}
    pairs = Counter((rows[at].label, kind.label(verdict)) for at, verdict in verdicts.items())
    outcomes = {at: kind.outcome(rows[at].label, verdict) for at, verdict in verdicts.items()}
    graded = [(rows[at], outcome) for at, outcome in outcomes.items() if outcome is not None]
    return JudgeRates(
        name=name,
        model=model,
        confusion={
            people: {label: count for (other, label), count in pairs.items() if other == people}
            for people in kind.labels
            if any(other == people for other, _ in pairs)
        },
        ungraded=len(outcomes) - len(graded),
        wrong=[row.claim or row.question for row, outcome in graded if outcome.passed != outcome.should_pass],
        calls=Counter(call.model for result in results.values() for call in result.calls),
        usd=sum_costs(list(results.values())),
        outcomes=[(row.identity, outcome) for row, outcome in graded],
        **dict(compute_figures([outcome for _, outcome in graded])),
    )
