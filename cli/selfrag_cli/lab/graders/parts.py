"""The labels by each part of the check of support: the first grader, the check by code, the second opinion."""

from collections.abc import Sequence

from selfrag.question.grade_support.evidence import stands_in
from selfrag.question.grade_support.logic import Result, Support, beyond_doubt, verdict_of
from selfrag_cli.lab.graders.rows import Row, passages_of, support_label

IN_DOUBT = "in doubt"


def labels_by_part(
    rows: Sequence[Row], results: Sequence[Result], alone: Sequence[Result] | None, first: str | None
) -> dict[str, list[str]]:
    """Return the label that each part gives each row, alone and together.

    `first` is the model of the first grader, None where the step has one grader; `alone` are the verdicts of its own
    grader on all rows, if they were asked for.
    """
    passages = [passages_of(row) for row in rows]
    judged = list(zip([_first(result, first) for result in results], passages, strict=True))
    name = "first grader" if first else "grader"
    found = {
        name: [support_label(verdict_of(*one)) for one in judged],
        "code": [_passed(stands_in(row.claim, those)) for row, those in zip(rows, passages, strict=True)],
        f"{name} and code": [_passed(beyond_doubt(*one)) for one in judged],
    }
    if alone is not None:
        found["second grader"] = [support_label(result.verdict) for result in alone]
    return {**found, "together": [support_label(result.verdict) for result in results]} if first else found


def _first(result: Result, first: str | None) -> Support | None:
    """Return what the first of a step's graders said; None where its reply was none."""
    kept = [Support.model_validate_json(one.verdict) for one in result.judged]
    stood = first is None or len(kept) == 2 or result.verdict.model == first
    return kept[0] if kept and stood else None


def _passed(stands: bool) -> str:
    return "supported" if stands else IN_DOUBT
