"""`selfrag eval graders`: labelled rows through the deployed step, in one way or several, against people's labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel, Field

from selfrag import bootstrap
from selfrag.domain.calls import StepResult
from selfrag.ports.measurements import measurement_key
from selfrag.question.grade_support.logic import Support
from selfrag_cli.lab.comparison import Interval, wilson
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders.rows import KINDS, UNGRADED, LabelledRow
from selfrag_cli.lab.judging import Case, Progress, Setting, asked_as, budget_of, cost, grader_of, judged, judging


@dataclass(frozen=True)
class GraderConfig:
    """A name, and the prompts and models by which the step judges."""

    name: str
    setting: Setting


@dataclass(frozen=True)
class Job:
    """The rows to judge, and the limits."""

    step: str
    rows: Sequence[LabelledRow]
    parallel: int = 8
    max_cost: float | None = None


class Rate(NamedTuple):
    """A share of `n` graded rows, and its interval."""

    share: float
    interval: Interval
    n: int


class WayReport(BaseModel):
    """The figures of a way: `passing_right` of the rows that should pass, `failing_right` of those that should not.

    `precision` is the share of right ones among the `passed` rows. Rows without a verdict are `ungraded`, and count in
    no rate. `wrong` are the claims or questions with a wrong label. `measured_as` is the key of its measured precision.
    """

    name: str
    model: str
    confusion: dict[str, dict[str, int]]
    ungraded: int
    passed: int
    passing_right: Rate | None
    failing_right: Rate | None
    precision: Rate | None
    balanced: float | None
    wrong: list[str]
    calls: dict[str, int]
    usd: float | None
    measured_as: str = Field(exclude=True)

    @property
    def figures(self) -> dict[str, float | None]:
        """Return the figures of a gate."""
        rates = {name: getattr(self, name) for name in ("passing_right", "failing_right", "precision")}
        return {"balanced": self.balanced, **{name: rate and rate.share for name, rate in rates.items()}}


class GraderReport(BaseModel):
    """The figures of each way over the rows that all have judged."""

    step: str
    rows: int
    judged: int
    ways: list[WayReport]

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Check the figures of each way; the claims and questions with a wrong label explain them."""
        checks = [check for way in self.ways for check in check_figures(way.name, way.figures, conditions)]
        return Gate(checks, [text for way in self.ways for text in way.wrong])


@dataclass(frozen=True)
class _Verdicts:
    """The results of a way by the places of rows, and their labels."""

    way: GraderConfig
    model: str
    measured_as: str
    results: Mapping[int, StepResult]
    labels: Mapping[int, str]


def graded(job: Job, ways: Sequence[GraderConfig], progress: Progress) -> GraderReport:
    """Judge the rows in each way, store every verdict in the home's cache, and return the figures.

    Raises what `judging` and `judged` raise. When the dollars are spent, the rows that are left have no label.
    """
    left, verdicts = job.max_cost, []
    for way in ways:
        verdicts.append(_graded(job, way, left, progress))
        left = None if left is None else left - (cost(list(verdicts[-1].results.values())) or 0.0)
    places = [at for at in range(len(job.rows)) if all(at in of.labels for of in verdicts)]
    reports = [_report(job, of, places) for of in verdicts]
    return GraderReport(step=job.step, rows=len(job.rows), judged=len(places), ways=reports)


def _graded(job: Job, way: GraderConfig, left: float | None, progress: Progress) -> _Verdicts:
    kind = KINDS[job.step]
    cases = {f"{at}": Case(job.step, kind.task(row)) for at, row in enumerate(job.rows)}
    with judging(way.setting, {}) as grade:
        model = bootstrap.question_settings().models[asked_as(job.step)]
        measured_as = measurement_key(grader_of(job.step), Support) if job.step == "grade_support" else ""
        budget = None if left is None else budget_of(left, [job.step])
        judgements = judged(cases, grade, job.parallel, budget, progress)
    results = {int(at): result for at, result in judgements.items()}
    labels = {at: kind.label(result.model_dump()["verdict"]) for at, result in results.items() if not result.error}
    return _Verdicts(way, model, measured_as, results, labels)


def _report(job: Job, of: _Verdicts, places: Sequence[int]) -> WayReport:
    kind = KINDS[job.step]
    pairs = [(job.rows[at].label, of.labels[at]) for at in places]
    counts = Counter((people in kind.passing, label in kind.passing) for people, label in pairs if label != UNGRADED)
    passing_right = _rate(counts[True, True], counts[True, True] + counts[True, False])
    failing_right = _rate(counts[False, False], counts[False, False] + counts[False, True])
    passed = counts[True, True] + counts[False, True]
    wrong = [job.rows[at] for at in places if _is_right(job, of, at) is False]
    models = [call.model for result in of.results.values() for call in result.calls]
    return WayReport(
        name=of.way.name,
        model=of.model,
        confusion={
            people: Counter(label for other, label in pairs if other == people)
            for people in kind.labels
            if any(other == people for other, _ in pairs)
        },
        ungraded=sum(label == UNGRADED for _, label in pairs),
        passed=passed,
        passing_right=passing_right,
        failing_right=failing_right,
        precision=_rate(counts[True, True], passed),
        balanced=(passing_right.share + failing_right.share) / 2 if passing_right and failing_right else None,
        wrong=[row.claim or row.question for row in wrong],
        calls={name: models.count(name) for name in dict.fromkeys(models)},
        usd=cost(list(of.results.values())),
        measured_as=of.measured_as,
    )


def _rate(count: int, of: int) -> Rate | None:
    return Rate(count / of, wilson(count, of), of) if of else None


def _is_right(job: Job, of: _Verdicts, at: int) -> bool | None:
    """Return whether a row passes as people say; None where it has no verdict."""
    passing, label = KINDS[job.step].passing, of.labels[at]
    return None if label == UNGRADED else (job.rows[at].label in passing) == (label in passing)
