"""Strips: a passage is judged piece by piece, and only the good pieces are kept (CRAG)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.passages import Evidence, Passage
from selfrag.domain.steps import GradeRelevanceTask
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.question.generate.citations import source_of
from selfrag.question.grade_relevance.logic import MAX_STRIPS, grade, strips_of
from tests.support.fakes import grader, passage

TEXT = "Leave is 25 days a year. The canteen has soup. It begins in May. Bikes stand in the yard."
PIECES = ["Leave is 25 days a year. ", "The canteen has soup. ", "It begins in May. ", "Bikes stand in the yard."]


def task(text: str = TEXT, lower_threshold: float | None = 0.1, **more: Any) -> GradeRelevanceTask:
    found = passage("p", text, **more)
    return GradeRelevanceTask(
        question="How many days?", passage=found, relevance_threshold=0.5, lower_threshold=lower_threshold
    )


def says(score: float, *strips: float) -> dict[str, Any]:
    judged = [{"strip": number, "score": one} for number, one in enumerate(strips, start=1)]
    return {"reason": "because", "score": score, "strips": judged}


def kept(verdict: RelevanceVerdict, text: str = TEXT) -> list[str]:
    return [text[strip.start : strip.end] for strip in verdict.strips]


def test_relevant_passage_keeps_strips_above_the_threshold() -> None:
    verdict = grade(task(), grader(says(0.9, 0.9, 0.0, 0.5, 0.3))).verdict
    assert (verdict.label, verdict.relevant) == ("relevant", True)
    assert kept(verdict) == [PIECES[0], PIECES[2]]


def test_ambiguous_passage_keeps_strips_above_the_lower_threshold() -> None:
    verdict = grade(task(), grader(says(0.3, 0.3, 0.0, 0.1, 0.05))).verdict
    assert (verdict.label, verdict.relevant) == ("ambiguous", False)
    assert kept(verdict) == [PIECES[0], PIECES[2]]


@pytest.mark.parametrize("score", [0.0, 0.09])
def test_below_the_lower_threshold_a_passage_is_irrelevant_whatever_its_strips(score: float) -> None:
    verdict = grade(task(), grader(says(score, 1.0, 1.0, 1.0, 1.0))).verdict
    assert (verdict.label, verdict.relevant, verdict.strips) == ("irrelevant", False, [])


def test_unjudged_strip_is_dropped_and_unknown_number_is_ignored() -> None:
    judged = {"reason": "r", "score": 0.9, "strips": [{"strip": 1, "score": 0.9}, {"strip": 9, "score": 0.9}]}
    assert kept(grade(task(), grader(judged)).verdict) == [PIECES[0]]


def test_a_passage_of_which_no_strip_is_good_alone_stays_whole() -> None:
    verdict = grade(task(), grader(says(0.9, 0.2, 0.2, 0.2, 0.2))).verdict
    assert (verdict.label, verdict.strips) == ("relevant", [])


def test_the_model_gets_the_strips_by_number_and_is_asked_once() -> None:
    judge = grader(says(0.9))
    result = grade(task(), judge)
    (seen,) = judge.claude.asked  # type: ignore[attr-defined]
    assert seen["strips"] == [{"strip": number, "text": text} for number, text in enumerate(PIECES, start=1)]
    assert len(result.calls) == 1


@pytest.mark.parametrize(
    ("text", "lower"), [(TEXT, None), ("Leave is 25 days. It begins in May.", 0.1)], ids=["not asked", "too short"]
)
def test_uncut_passage_is_graded_without_strips(text: str, lower: float | None) -> None:
    judge = grader({"reason": "r", "score": 0.9})
    verdict = grade(task(text, lower), judge).verdict
    (seen,) = judge.claude.asked  # type: ignore[attr-defined]
    assert ("strips" in seen, verdict.label, verdict.strips) == (False, "relevant", [])


def test_a_flawed_reply_is_no_verdict_on_strips_either() -> None:
    verdict = grade(task(lower_threshold=0.0), grader(None, "cut")).verdict
    assert (verdict.label, verdict.relevant, verdict.strips) == ("ungraded", False, [])


def test_a_row_of_a_table_is_never_cut() -> None:
    row = "office: Oslo. By the sea.; capacity: 12"
    text = f"The offices. They are many. {row}\nAll are open."
    found = passage("p", text, rows=[{"start": text.index(row), "end": text.index(row) + len(row), "name": "row 2"}])
    assert row in [text[strip.start : strip.end].strip() for strip in strips_of(found)]


@given(st.lists(st.sampled_from(["A fact. ", "有給休暇は25日。", "Two\nlines. ", "No. 5 "]), max_size=60).map("".join))
def test_strips_are_few_stand_in_order_and_are_the_text_again(text: str) -> None:
    strips = strips_of(Passage(passage_id="p", document="d", text=text))
    assert len(strips) <= MAX_STRIPS
    assert strips == [] or "".join(text[strip.start : strip.end] for strip in strips) == text


@given(st.sets(st.integers(0, 3), min_size=1))
def test_writer_receives_only_kept_strips_of_passage(numbers: set[int]) -> None:
    verdict = grade(task(), grader(says(0.9, *(0.9 if n in numbers else 0.1 for n in range(4))))).verdict
    evidence = Evidence(**passage("p", TEXT).model_dump(), strips=verdict.strips)
    assert list(source_of(evidence).blocks) == [PIECES[n] for n in sorted(numbers)]
