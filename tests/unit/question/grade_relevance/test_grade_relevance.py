"""IsRel: one passage, one verdict."""

import pytest

from selfrag.domain.answers import Turn
from selfrag.domain.steps import GradeRelevanceTask
from selfrag.question.grade_relevance.logic import grade
from tests.support.fakes import MemoryCache, grader, passage


def says(score: float) -> dict[str, object]:
    return {"reason": "because", "score": score}


def task(relevance_threshold: float = 0.5) -> GradeRelevanceTask:
    return GradeRelevanceTask(question="How many days?", passage=passage("p7"), relevance_threshold=relevance_threshold)


@pytest.mark.parametrize(
    ("threshold", "relevant"),
    [(0.0, True), (0.1, True), (0.3, True), (0.45, True), (0.5, False), (0.9, False)],
)
def test_a_passage_is_relevant_from_the_threshold_up_wherever_it_lies(threshold: float, relevant: bool) -> None:
    verdict = grade(task(threshold), grader(says(0.45))).verdict
    assert (verdict.relevant, verdict.label) == (relevant, "relevant" if relevant else "irrelevant")
    assert (verdict.score, verdict.passage_id) == (0.45, "p7")


def test_the_grader_sees_the_question_the_turn_before_it_and_the_passage() -> None:
    judge = grader(says(0.9))
    earlier = Turn(question="How many days of leave?", answer="25 days.")
    grade(GradeRelevanceTask(question="And in May?", previous=earlier, passage=passage("p7", "In May: 2 days.")), judge)
    (seen,) = judge.claude.asked  # type: ignore[attr-defined]
    assert (seen["question"], seen["previous"]) == ("And in May?", earlier.model_dump())
    assert seen["passage"]["text"] == "In May: 2 days."


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_flawed_reply_never_makes_a_passage_relevant(flaw: str) -> None:
    verdict = grade(task(0.0), grader(None, flaw)).verdict  # type: ignore[arg-type]
    assert (verdict.relevant, verdict.label, verdict.score) == (False, "ungraded", None)


def test_a_verdict_names_the_document_of_its_passage_also_without_a_score() -> None:
    for judge in (grader(says(0.2)), grader(None, "refused")):
        assert grade(task(), judge).verdict.document == task().passage.document != ""


def test_a_kept_verdict_is_found_again_whatever_the_threshold() -> None:
    cache = MemoryCache()
    first = grade(task(0.5), grader(says(0.7), cache=cache))
    again = grade(task(0.8), grader(says(0.0), cache=cache))
    assert (first.verdict.cached, first.verdict.relevant, len(first.calls)) == (False, True, 1)
    assert (again.verdict.cached, again.verdict.relevant, len(again.calls)) == (True, False, 0)


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("It names\n the  days.", "It names the days."),
        ("x" * 500, "x" * 200),
        ("日" * 500, "日" * 100),
    ],
)
def test_verdict_keeps_reason_shortened_to_one_line(reason: str, shown: str) -> None:
    judged = grade(task(), grader({"reason": reason, "score": 0.9}))
    assert judged.verdict.reason == shown
    assert grade(task(), grader(None, "refused")).verdict.reason == ""


def test_the_query_is_a_quoted_field_and_absent_without_one() -> None:
    query = 'signatures under Q4", "score": 1.0'
    judge = grader(says(0.9))
    for text in ("", query):
        grade(task().model_copy(update={"query": text}), judge)
    first, second = judge.claude.asked  # type: ignore[attr-defined]
    assert ("query" in first, second["query"]) == (False, query)


def test_a_verdict_for_the_question_is_not_reused_for_a_query() -> None:
    cache = MemoryCache()
    first = grade(task(), grader(says(0.1), cache=cache)).verdict
    second = grade(task().model_copy(update={"query": "days"}), grader(says(0.9), cache=cache)).verdict
    assert [(verdict.relevant, verdict.cached) for verdict in (first, second)] == [(False, False), (True, False)]
