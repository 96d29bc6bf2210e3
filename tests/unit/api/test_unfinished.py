"""Progress of a question with compared answers, before its response."""

from typing import Any

from selfrag.api.logic import unfinished
from selfrag.domain.history import Step
from tests.support import steps
from tests.support.paper.compared import tree


def step(name: str, result: Any, turn: int = 0) -> Step:
    return Step(name, 0.0, 1.0, 1, {}, result, error="", turn=turn)


def planned(strategy: str, why: str = "Judge it.") -> Step:
    named = [{"step": "GradeSupport"}, {"step": "GradeUtility"}, {"step": "GradeUtility"}]
    return step("Plan", {"plan": {"turn": 2, "why": why, "steps": named}, "state": {"strategy": strategy}}, 2)


def judged(strategy: str) -> list[Step]:
    verdicts = {"GradeSupport": steps.support("fully_supported"), "GradeUtility": steps.utility(5)}
    return [planned(strategy), *(step(name, verdict, 2) for name, verdict in verdicts.items())]


def test_why_each_pass_was_made_is_told_in_a_line() -> None:
    seen = unfinished("a", "running", [planned("self_rag", "2 of 4 passages relevant: judge it.")])
    assert seen.passes is not None
    assert [(one.why, one.steps) for one in seen.passes] == [
        ("2 of 4 passages relevant: judge it.", ["GradeSupport", "GradeUtility"])
    ]
    assert seen.path == []


def test_ended_pass_has_its_duration_and_verdict_counts() -> None:
    claims = [{"claim": "C.", "support": support} for support in ("full", "full", "none")]
    passage = {"passage_id": "p", "relevant": True, "score": None, "label": "relevant"}
    verdicts = [
        ("GradeRelevance", passage),
        ("GradeRelevance", passage | {"relevant": False, "label": "irrelevant"}),
        ("GradeRelevance", passage | {"judged_by": "rule"}),
        ("GradeSupport", {"level": "partially_supported", "claims": claims}),
        ("GradeUtility", {"score": None}),
    ]
    graded = [step(name, {"verdict": verdict}) for name, verdict in verdicts]
    later = Step("Plan", 2.5, 0.1, 1, {}, planned("self_rag").result, error="")
    seen = unfinished("a", "running", [planned("self_rag"), *graded, later]).passes
    assert seen is not None
    assert [one.seconds for one in seen] == [2.5, None]
    assert [one.verdicts for one in seen] == [
        {
            "GradeRelevance": {"relevant": 1, "irrelevant": 1},
            "GradeSupport": {"full": 2, "none": 1},
            "GradeUtility": {"ungraded": 1},
        },
        {},
    ]
    ended = unfinished("a", "running", [planned("self_rag"), step("ComposeAnswer", None)]).passes
    assert ended is not None
    assert ended[0].seconds == 0.0


def test_verdict_on_one_candidate_is_not_reported_for_answer() -> None:
    seen = unfinished("a", "running", judged("candidates")).reflection
    assert seen is not None
    assert (seen.support, seen.utility) == (None, None)
    alone = unfinished("a", "running", judged("self_rag")).reflection
    assert alone is not None
    assert alone.support is not None


def test_verdicts_on_chosen_answer_are_reported() -> None:
    verdict = {"score": 4, "reason": "good"}
    winner = {"answer": "A.", "support": {"level": "partially_supported"}, "utility": verdict}
    picked = step("PickCandidate", {"winner": winner, "scores": tree()}, 3)
    seen = unfinished("a", "running", [*judged("candidates"), picked]).reflection
    assert seen is not None
    assert seen.support is not None
    assert seen.utility is not None
    assert (seen.support.level, seen.utility.score) == ("partially_supported", 4)
    none = unfinished("a", "running", [*judged("candidates"), step("PickCandidate", {"winner": None}, 3)])
    assert none.reflection is not None
    assert none.reflection.support is None
