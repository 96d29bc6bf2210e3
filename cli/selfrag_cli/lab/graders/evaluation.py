"""`selfrag eval graders`: labelled rows through the deployed step, in one way or several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfrag import bootstrap
from selfrag.ports.measurements import measurement_key
from selfrag.question.grade_support.logic import Support
from selfrag_cli.lab.graders.rows import KINDS, LabelledRow
from selfrag_cli.lab.judging import Case, Progress, Setting, asked_as, budget_of, cost, grader_of, judged, judging


@dataclass(frozen=True)
class GraderConfig:
    """A name, and the prompts and models by which the step judges."""

    name: str
    setting: Setting


@dataclass(frozen=True)
class GraderVerdicts:
    """The labels that a way gave to rows, by their places; `measured_as` is the key of its measured precision."""

    way: GraderConfig
    model: str
    labels: Mapping[int, str]
    calls: Mapping[str, int]
    usd: float | None
    measured_as: str = ""


@dataclass(frozen=True)
class Job:
    """The rows to judge, and the limits."""

    step: str
    rows: Sequence[LabelledRow]
    parallel: int = 8
    max_cost: float | None = None


def graded(job: Job, ways: Sequence[GraderConfig], progress: Progress) -> list[GraderVerdicts]:
    """Judge the rows in each way, and store every verdict in the home's verdict cache.

    Raises what `judging` and `judged` raise. When the dollars are spent, the rows that are left have no label.
    """
    left, verdicts = job.max_cost, []
    for way in ways:
        verdicts.append(_graded(job, way, left, progress))
        left = None if left is None else left - (verdicts[-1].usd or 0.0)
    return verdicts


def _graded(job: Job, way: GraderConfig, left: float | None, progress: Progress) -> GraderVerdicts:
    kind = KINDS[job.step]
    cases = {f"{at}": Case(job.step, kind.task(row)) for at, row in enumerate(job.rows)}
    with judging(way.setting, {}) as grade:
        model = bootstrap.question_settings().models[asked_as(job.step)]
        measured_as = measurement_key(grader_of(job.step), Support) if job.step == "grade_support" else ""
        budget = None if left is None else budget_of(left, [job.step])
        results = judged(cases, grade, job.parallel, budget, progress)
    models = [call.model for result in results.values() for call in result.calls]
    return GraderVerdicts(
        way,
        model,
        {int(at): kind.label(result.model_dump()["verdict"]) for at, result in results.items() if not result.error},
        {name: models.count(name) for name in dict.fromkeys(models)},
        cost(list(results.values())),
        measured_as,
    )
