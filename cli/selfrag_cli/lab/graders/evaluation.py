"""`selfrag eval graders`: labelled rows through the deployed step, in one way or several, and what people say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from selfrag import bootstrap
from selfrag.domain.calls import StepResult
from selfrag.ports.measurements import measurement_key
from selfrag.question.grade_support.logic import Result, Support
from selfrag.runtime.models import first_of
from selfrag_cli.lab.graders.parts import labels_by_part
from selfrag_cli.lab.graders.rows import KINDS, Row
from selfrag_cli.lab.judging import Case, Setting, Tell, asked_as, budget_of, cost, grader_of, judged, judging


@dataclass(frozen=True)
class Way:
    """A name, and the prompts and models by which the step judges."""

    name: str
    setting: Setting


@dataclass(frozen=True)
class Judged:
    """The rows that a way has judged, by their places, and its labels of them; `parts` are those of the cascade.

    `measured_as` is the key of what is measured of IsSup in this way.
    """

    way: Way
    model: str
    labels: Mapping[int, str]
    parts: Mapping[str, Mapping[int, str]]
    calls: Mapping[str, int]
    usd: float | None
    measured_as: str = ""


@dataclass(frozen=True)
class Asked:
    """The rows to judge, and the limits; with `each`, the second grader judges all rows by itself, too."""

    step: str
    rows: Sequence[Row]
    parallel: int = 8
    max_cost: float | None = None
    each: bool = False


def graded(asked: Asked, ways: Sequence[Way], tell: Tell) -> list[Judged]:
    """Judge the rows in each way, and keep every verdict in the home's verdict cache.

    Raises what `judging` and `judged` raise. Of a sum that is spent, the rows that are left have no label.
    """
    left, found = asked.max_cost, []
    for way in ways:
        found.append(_judged(asked, way, left, tell))
        left = None if left is None else left - (found[-1].usd or 0.0)
    return found


def _judged(asked: Asked, way: Way, left: float | None, tell: Tell) -> Judged:
    kind, support = KINDS[asked.step], asked.step == "grade_support"
    cases = {f"{at}": Case(asked.step, kind.given(row)) for at, row in enumerate(asked.rows)}
    with judging(way.setting, {}) as judge:
        models = bootstrap.settings().models
        model = models[asked_as(asked.step)]
        first = models.get(first_of(asked.step)) if support else None
        measured_as = measurement_key(grader_of(asked.step), Support) if support else ""
        budget = None if left is None else budget_of(left, [asked.step])
        results = judged(cases, judge, asked.parallel, budget, tell)
        if asked.each and first:
            # After the others, whose second opinions are found in the cache.
            alone = {f"{name}.": Case(asked.step, {**one.given, "one_call": True}) for name, one in cases.items()}
            results |= judged(alone, judge, asked.parallel, budget, tell)
    told = {at: results[f"{at}"] for at in range(len(asked.rows)) if _has(results, f"{at}")}
    labels = {at: kind.said(result.model_dump()["verdict"]) for at, result in told.items()}
    return Judged(
        way,
        model,
        labels,
        _parts(asked, told, results, first) if support else {},
        _calls(list(results.values())),
        cost(list(results.values())),
        measured_as,
    )


def _has(results: Mapping[str, StepResult], name: str) -> bool:
    return name in results and results[name].error is None


def _parts(
    asked: Asked, told: Mapping[int, StepResult], results: Mapping[str, StepResult], first: str | None
) -> dict[str, dict[int, str]]:
    both = [at for at in told if not (asked.each and first) or _has(results, f"{at}.")]
    found = labels_by_part(
        [asked.rows[at] for at in both],
        [cast(Result, told[at]) for at in both],
        [cast(Result, results[f"{at}."]) for at in both] if asked.each and first else None,
        first,
    )
    return {name: dict(zip(both, labels, strict=True)) for name, labels in found.items()}


def _calls(results: Sequence[StepResult]) -> dict[str, int]:
    models = [call.model for result in results for call in result.calls]
    return {model: models.count(model) for model in dict.fromkeys(models)}


def passes(labels: Sequence[str], step: str) -> list[bool]:
    """Return which labels let their rows pass."""
    return [label in KINDS[step].passing for label in labels]
