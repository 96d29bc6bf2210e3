"""IsRel: one passage, one verdict."""

import pytest

from question.grade_relevance.logic import Task, grade
from tests.support.fakes import MemoryCache, grader, passage


def says(label: str, score: float) -> dict[str, object]:
    return {"reason": "because", "label": label, "score": score}


def task(threshold: float = 0.5) -> Task:
    return Task(question="How many days?", passage=passage("p7"), threshold=threshold)


@pytest.mark.parametrize(
    ("label", "score", "relevant"),
    [("relevant", 0.9, True), ("relevant", 0.4, False), ("irrelevant", 0.9, False), ("relevant", 0.5, True)],
)
def test_a_passage_is_relevant_only_if_label_and_score_agree(label: str, score: float, relevant: bool) -> None:
    verdict = grade(task(), grader(says(label, score))).verdict
    assert (verdict.relevant, verdict.label, verdict.score) == (relevant, label, score)
    assert verdict.passage_id == "p7"


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed"])
def test_a_flawed_reply_never_makes_a_passage_relevant(flaw: str) -> None:
    verdict = grade(task(threshold=0.0), grader(None, flaw)).verdict  # type: ignore[arg-type]
    assert (verdict.relevant, verdict.label, verdict.score) == (False, "ungraded", None)


def test_a_kept_verdict_is_found_again_whatever_the_threshold() -> None:
    cache = MemoryCache()
    first = grade(task(0.5), grader(says("relevant", 0.7), cache=cache))
    again = grade(task(0.8), grader(says("irrelevant", 0.0), cache=cache))
    assert (first.verdict.cached, first.verdict.relevant, len(first.calls)) == (False, True, 1)
    assert (again.verdict.cached, again.verdict.relevant, len(again.calls)) == (True, False, 0)
