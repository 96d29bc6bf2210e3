"""How the graders' verdicts are spread, and whether they are as sure as they are right."""

from typing import Any

import pytest

from cli.lab.gold.question_sets import GoldQuestion
from cli.lab.metrics.calibration import calibrations, distributions
from cli.lab.metrics.measures import Reply, measured
from tests.unit.cli.lab.conftest import gold, reflection, response

Rows = list[tuple[GoldQuestion, dict[str, Any]]]


def calibrated(rows: Rows) -> dict[str, Any]:
    golds = [question for question, _ in rows]
    replies = [Reply.model_validate(said) for _, said in rows]
    return calibrations(golds, replies, [measured(question, said, 1.0) for question, said in rows])


def judged(
    *relevance: tuple[str, float | None], answer: str = "18 weeks", status: str = "answered", **more: Any
) -> Any:
    return {**response(answer, status), "reflection": reflection(*relevance, **more)}


KNOWN = gold(answers=("18 weeks",), documents=("leave.md",), answerable=True)


def test_verdicts_are_counted_with_those_that_could_not_be_had() -> None:
    said = [judged(("a", 0.05), ("b", 1.0), ("c", None)), judged(level="no_support", utility=None)]
    direct = {**response(), "reflection": {"relevance": [], "support": None, "utility": None}}
    found = distributions([Reply.model_validate(one) for one in (*said, direct)])
    counted = {grader: {label: n for label, n in counts.items() if n} for grader, counts in found.items()}
    assert counted == {
        "relevance": {"0.0 to 0.1": 1, "0.9 to 1.0": 1, "ungraded": 1},
        "support": {"no_support": 1, "fully_supported": 1},
        "utility": {"5": 1, "ungraded": 1},
    }
    assert len(found["relevance"]) == 11, "a tenth that was never said is there, too"


def test_the_error_is_how_far_scores_are_from_how_often_passages_were_of_the_gold_documents() -> None:
    # Two of 0.9, one right: 0.4 too sure; two of 0.2, both right: 0.8 not sure enough.
    passages = [("people/leave.md", 0.9), ("hotels.md", 0.9), ("leave.md", 0.2), ("leave.md", 0.2)]
    found = calibrated([(KNOWN, judged(*passages))])["relevance"]
    assert (found["count"], found["error"]) == (4, pytest.approx(0.6))
    assert [(group["label"], group["right"]) for group in found["groups"]] == [("0.2 to 0.3", 1), ("0.9 to 1.0", 0.5)]


def test_a_grader_that_is_as_sure_as_right_has_no_error() -> None:
    passages = [("leave.md", 0.5), ("hotels.md", 0.5), ("leave.md", 1.0)]
    assert calibrated([(KNOWN, judged(*passages))])["relevance"]["error"] == 0


def test_no_passage_is_right_where_the_documents_hold_no_answer_and_without_gold_none_is_judged() -> None:
    none, unknown = gold(answerable=False), gold(answers=("18 weeks",), answerable=True)
    found = calibrated([(none, judged(("leave.md", 0.8))), (unknown, judged(("leave.md", 0.8), ("", 0.1)))])
    assert (found["relevance"]["count"], found["relevance"]["error"]) == (1, pytest.approx(0.8))


def test_support_and_utility_are_compared_with_whether_the_answer_matches() -> None:
    rows: Rows = [
        (KNOWN, judged(level="fully_supported", utility=5)),
        (KNOWN, judged(answer="20 weeks", level="partially_supported", utility=5)),
        (KNOWN, judged(answer="20 weeks", level="ungraded", utility=None)),
    ]
    found = calibrated(rows)
    assert (found["support"]["count"], found["support"]["error"]) == (2, pytest.approx(0.25))
    assert (found["utility"]["count"], found["utility"]["error"]) == (2, pytest.approx(0.5))


def test_the_verdicts_on_an_answer_that_was_withheld_are_not_held_against_the_graders() -> None:
    rows: Rows = [(KNOWN, judged(answer="Not found.", status="abstained", level="no_support", utility=1))]
    found = calibrated([*rows, (gold(), judged())])
    assert found["support"] == {"count": 0, "error": None, "groups": []}
