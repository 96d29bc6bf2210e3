"""The figures of graders against people's labels."""

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from selfrag_cli.lab.comparison import Interval, mcnemar, wilson
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders.evaluation import GraderVerdicts, Job
from selfrag_cli.lab.graders.rows import KINDS

# A share with its interval.
Share = tuple[float, Interval]


class WayReport(BaseModel):
    """The figures of a way: `passing_right` of the rows that should pass, `failing_right` of those that should not.

    `precision` is the share of right ones among the `passed` rows.
    """

    name: str
    model: str
    confusion: dict[str, dict[str, int]]
    passed: int
    passing_right: Share | None
    failing_right: Share | None
    precision: Share | None
    balanced: float | None
    calls: dict[str, int]
    usd: float | None

    @property
    def figures(self) -> dict[str, float | None]:
        """Return the figures of a gate."""
        shares = {name: getattr(self, name) for name in ("passing_right", "failing_right", "precision")}
        return {"balanced": self.balanced, **{name: share and share[0] for name, share in shares.items()}}


class WayComparison(BaseModel):
    """The rows that a way alone labels right, and the first one alone, with the exact p of McNemar's test."""

    base: str
    way: str
    won: int
    lost: int
    p: float


class GraderReport(BaseModel):
    """The figures of each way over the rows that all have judged, and of each against the first."""

    step: str
    rows: int
    judged: int
    ways: list[WayReport]
    comparisons: list[WayComparison]


def report_of(job: Job, verdicts: Sequence[GraderVerdicts]) -> GraderReport:
    """Return the figures over the rows that every way has judged."""
    places = [at for at in range(len(job.rows)) if all(at in way.labels for way in verdicts)]
    first, *others = verdicts
    return GraderReport(
        step=job.step,
        rows=len(job.rows),
        judged=len(places),
        ways=[_way(job, way, places) for way in verdicts],
        comparisons=[_comparison(job, first, other, places) for other in others],
    )


def _way(job: Job, verdicts: GraderVerdicts, places: Sequence[int]) -> WayReport:
    kind = KINDS[job.step]
    pairs = [(job.rows[at].label, verdicts.labels[at]) for at in places]
    counts = Counter((people in kind.passing, label in kind.passing) for people, label in pairs)
    passing_right = _share(counts[True, True], counts[True, True] + counts[True, False])
    failing_right = _share(counts[False, False], counts[False, False] + counts[False, True])
    passed = counts[True, True] + counts[False, True]
    return WayReport(
        name=verdicts.way.name,
        model=verdicts.model,
        confusion={
            people: Counter(label for other, label in pairs if other == people)
            for people in kind.labels
            if any(other == people for other, _ in pairs)
        },
        passed=passed,
        passing_right=passing_right,
        failing_right=failing_right,
        precision=_share(counts[True, True], passed),
        balanced=(passing_right[0] + failing_right[0]) / 2 if passing_right and failing_right else None,
        calls=dict(verdicts.calls),
        usd=verdicts.usd,
    )


def _share(count: int, of: int) -> Share | None:
    return (count / of, wilson(count, of)) if of else None


def _comparison(job: Job, base: GraderVerdicts, way: GraderVerdicts, places: Sequence[int]) -> WayComparison:
    right = [[_is_right(job, verdicts, at) for at in places] for verdicts in (base, way)]
    pairs = list(zip(*right, strict=True))
    won, lost = pairs.count((False, True)), pairs.count((True, False))
    return WayComparison(base=base.way.name, way=way.way.name, won=won, lost=lost, p=mcnemar(won, lost))


def _is_right(job: Job, verdicts: GraderVerdicts, at: int) -> bool:
    passing = KINDS[job.step].passing
    return (job.rows[at].label in passing) == (verdicts.labels.get(at) in passing)


def gate_of(
    job: Job, report: GraderReport, verdicts: Sequence[GraderVerdicts], conditions: Sequence[Condition]
) -> Gate:
    """Check the figures of each way; the claims and questions with a wrong label explain them."""
    gate = Gate()
    for way, of_way in zip(report.ways, verdicts, strict=True):
        gate.checks.extend(check_figures(way.name, way.figures, conditions))
        wrong = [row for at, row in enumerate(job.rows) if not _is_right(job, of_way, at)]
        gate.questions.extend(row.claim or row.question for row in wrong)
    return gate
