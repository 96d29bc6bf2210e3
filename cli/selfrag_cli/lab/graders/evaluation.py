"""`selfrag eval graders`: labelled rows through the deployed step, in one way or several, against people's labels."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from selfrag.domain.calls import ModelCall, StepResult
from selfrag.judging.graders import Grader
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders.adoption import Adoption, ErrorLimits, adoption_of
from selfrag_cli.lab.graders.figures import JudgeFigures, Outcome, figures_of
from selfrag_cli.lab.graders.rows import KINDS, LabelledRow
from selfrag_cli.lab.judging import (
    Case,
    Progress,
    Setting,
    budget_of,
    calls_behind,
    cost,
    grader_of,
    judged,
    judging,
)


@dataclass(frozen=True)
class GraderConfig:
    """A name, and the setting by which the step judges."""

    name: str
    setting: Setting

    def is_decider(self, step: str) -> bool:
        """Return whether a decision model judges the step, without doubts."""
        return self.setting.graders.get(step) == "decider"


@dataclass(frozen=True)
class Job:
    """The rows to judge, and the limits; `adopt` are those of a step's judge, which is chosen where there are some."""

    step: str
    rows: Sequence[LabelledRow]
    parallel: int = 8
    max_cost: float | None = None
    adopt: ErrorLimits | None = None


class CostReport(BaseModel):
    """The cost of a judge for 1,000 verdicts, one after another, cached or not; null if a price is not known."""

    calls: dict[str, float]
    seconds: float
    usd: float | None


class WayReport(JudgeFigures):
    """The figures of a way, of all rows and of those of one language or length.

    Rows without a verdict are `ungraded`, and count in no rate. `wrong` are the claims or questions with a wrong label.
    `calls` and `usd` are those of this run, which pays for no verdict twice; `per_thousand` is null where a cached one
    says no cost. `outcomes` have the ids of their rows.
    """

    name: str
    model: str
    confusion: dict[str, dict[str, int]]
    ungraded: int
    wrong: list[str]
    calls: dict[str, int]
    usd: float | None
    per_thousand: CostReport | None
    by_language: dict[str, JudgeFigures]
    by_length: dict[str, JudgeFigures]
    outcomes: list[tuple[str, Outcome]] = Field(exclude=True)

    @property
    def figures(self) -> dict[str, float | None]:
        """Return the figures of a gate."""
        names = ("passing_right", "failing_right", "false_passes", "false_strips", "precision")
        rates = {name: getattr(self, name) for name in names}
        ece = self.calibration.ece if self.calibration else None
        return {"balanced": self.balanced, "ece": ece, **{name: rate and rate.share for name, rate in rates.items()}}


class GraderReport(BaseModel):
    """The figures of each way over the rows that all have judged, and the judge that is adopted, if all rows are."""

    step: str
    rows: int
    judged: int
    ways: list[WayReport]
    adoption: Adoption | None = None

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Check the figures of each way; the claims and questions with a wrong label explain them."""
        checks = [check for way in self.ways for check in check_figures(way.name, way.figures, conditions)]
        return Gate(checks, [text for way in self.ways for text in way.wrong])


@dataclass(frozen=True)
class _Verdicts:
    """The results of a way by the places of their rows, and what its verdicts take."""

    way: GraderConfig
    model: str
    results: Mapping[int, StepResult]
    per_thousand: CostReport | None


def graded(job: Job, ways: Sequence[GraderConfig], progress: Progress) -> GraderReport:
    """Judge the rows in each way, store every verdict in the home's cache, and return the figures.

    Raises what `judging` and `judged` raise. When the dollars are spent, the rows that are left have no label.
    """
    left, verdicts = job.max_cost, []
    for way in ways:
        verdicts.append(_graded(job, way, left, progress))
        left = None if left is None else left - (cost(list(verdicts[-1].results.values())) or 0.0)
    places = [at for at in range(len(job.rows)) if all(_is_judged(of.results.get(at)) for of in verdicts)]
    reports = [_report(job, of, places) for of in verdicts]
    adoption = None
    if job.adopt and len(places) == len(job.rows):
        outcomes = next(report.outcomes for report, way in zip(reports, ways, strict=True) if way.is_decider(job.step))
        adoption = adoption_of(job.step, outcomes, job.adopt)
    return GraderReport(step=job.step, rows=len(job.rows), judged=len(places), ways=reports, adoption=adoption)


def _graded(job: Job, way: GraderConfig, left: float | None, progress: Progress) -> _Verdicts:
    kind = KINDS[job.step]
    cases = {at: Case(job.step, kind.task(row)) for at, row in enumerate(job.rows)}
    with judging(way.setting, {}) as grade:
        grader = grader_of(job.step)
        budget = None if left is None else budget_of(left, [job.step])
        results = judged(cases, grade, job.parallel, budget, progress)
        per_thousand = _per_thousand(list(map(calls_behind, results.values())))
    return _Verdicts(way, _judges(way, job.step, grader), results, per_thousand)


def _is_judged(result: StepResult | None) -> bool:
    return result is not None and not result.error


def _judges(way: GraderConfig, step: str, grader: Grader) -> str:
    """Return the names of those who judge, the decision model first."""
    if grader.decider is None:
        return grader.model
    name = grader.decider.judge_fields["model"]
    return name if way.is_decider(step) else f"{name}, {grader.model}"


def _per_thousand(calls: Sequence[Sequence[ModelCall] | None]) -> CostReport | None:
    """Return what the verdicts of these calls take; None if those of one are not recorded, or there is none."""
    flat = [call for of_row in calls for call in of_row or ()]
    if not calls or None in calls:
        return None
    models = Counter(call.model for call in flat)
    costs = [call.cost_usd for call in flat]
    return CostReport(
        calls={model: 1000 * count / len(calls) for model, count in models.items()},
        seconds=1000 * sum(call.ended_at - call.started_at for call in flat) / len(calls),
        usd=None if None in costs else 1000 * sum(usd for usd in costs if usd is not None) / len(calls),
    )


def _report(job: Job, of: _Verdicts, places: Sequence[int]) -> WayReport:
    kind = KINDS[job.step]
    verdicts = {at: of.results[at].model_dump()["verdict"] for at in places}
    pairs = Counter((job.rows[at].label, kind.label(verdict)) for at, verdict in verdicts.items())
    outcomes = {at: kind.outcome(job.rows[at].label, verdict) for at, verdict in verdicts.items()}
    graded_rows = {at: outcome for at, outcome in outcomes.items() if outcome is not None}
    models = Counter(call.model for result in of.results.values() for call in result.calls)
    wrong = [job.rows[at] for at, outcome in graded_rows.items() if outcome.passed != outcome.should_pass]

    def by(class_of: Callable[[LabelledRow], str]) -> dict[str, JudgeFigures]:
        classes = sorted({class_of(job.rows[at]) for at in graded_rows})
        members = {
            name: [each for at, each in graded_rows.items() if class_of(job.rows[at]) == name] for name in classes
        }
        return {name: figures_of(members[name]) for name in classes}

    return WayReport(
        name=of.way.name,
        model=of.model,
        confusion={
            people: {label: count for (other, label), count in pairs.items() if other == people}
            for people in kind.labels
            if any(other == people for other, _ in pairs)
        },
        ungraded=len(outcomes) - len(graded_rows),
        wrong=[row.claim or row.question for row in wrong],
        calls=models,
        usd=cost(list(of.results.values())),
        per_thousand=of.per_thousand,
        by_language=by(lambda row: row.language),
        by_length=by(lambda row: row.length),
        outcomes=[(job.rows[at].identity, outcome) for at, outcome in graded_rows.items()],
        **dict(figures_of(list(graded_rows.values()))),
    )
