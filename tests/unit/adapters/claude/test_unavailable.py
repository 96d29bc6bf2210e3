"""An unavailable model is not an error of the step: the result has the reason and the number of requests."""

import json
from typing import get_args

import pytest

from selfrag.domain.calls import Flaw, StepResult
from selfrag.domain.history import steps_of
from selfrag.domain.steps import (
    DecideRetrievalTask,
    GenerateTask,
    GradeRelevanceTask,
    GradeSupportTask,
    GradeUtilityTask,
    RewriteQuestionTask,
)
from selfrag.plan.reports import REPORTS, entry_of
from selfrag.question.decide_retrieval.logic import decide
from selfrag.question.generate.logic import generate
from selfrag.question.grade_relevance.logic import grade as grade_relevance
from selfrag.question.grade_support.logic import grade as grade_support
from selfrag.question.grade_utility.logic import grade as grade_utility
from selfrag.question.rewrite_question.logic import rewrite
from tests.support.fakes import PROMPT, FakeClaude, grader, passage

JUDGE = grader(None, "unavailable")
RESULTS = [
    decide(DecideRetrievalTask(question="?"), JUDGE),
    grade_relevance(GradeRelevanceTask(question="?", passage=passage()), JUDGE),
    generate(GenerateTask(question="?"), FakeClaude(None, "unavailable"), PROMPT),
    grade_support(GradeSupportTask(question="?", answer="25 days.", passages=[passage()]), JUDGE),
    grade_utility(GradeUtilityTask(question="?", answer="25 days."), JUDGE),
    rewrite(RewriteQuestionTask(question="?", queries=["?"]), JUDGE),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__module__.split(".")[1])
def test_a_step_without_a_reply_says_why_and_how_often_it_asked(result: StepResult) -> None:
    assert (result.calls, result.attempts, result.error) == ([], 4, "TemporarilyUnavailable")
    assert result.throttled


def results_of(flaw: Flaw) -> dict[str, StepResult]:
    judge = grader(None, flaw)
    return {
        "DecideRetrieval": decide(DecideRetrievalTask(question="?"), judge),
        "GradeRelevance": grade_relevance(GradeRelevanceTask(question="?", passage=passage()), judge),
        "Generate": generate(GenerateTask(question="?"), FakeClaude(None, flaw), PROMPT),
        "GradeSupport": grade_support(GradeSupportTask(question="?", answer="25 days.", passages=[passage()]), judge),
        "GradeUtility": grade_utility(GradeUtilityTask(question="?", answer="25 days."), judge),
        "RewriteQuestion": rewrite(RewriteQuestionTask(question="?", queries=["?"]), judge),
    }


@pytest.mark.parametrize("flaw", get_args(Flaw))
def test_the_ledger_has_the_flaw_of_each_steps_reply_and_its_requests(flaw: Flaw) -> None:
    for step, result in results_of(flaw).items():
        (report,) = REPORTS.validate_python([{"step": step, "result": result.model_dump(mode="json")}])
        entry = entry_of(report, turn=0)
        requests = 4 if flaw == "unavailable" else 1
        assert (entry.flaw, entry.attempts, len(entry.calls)) == (flaw, requests, int(flaw != "unavailable")), step


def test_trace_shows_unavailable_result_like_raised_error() -> None:
    result = StepResult(attempts=4, error="TemporarilyUnavailable", cause="claude is busy: status 529")
    output = json.dumps({"Payload": result.model_dump(mode="json")})
    events = [
        {"type": "ExecutionStarted"},
        {"type": "TaskStateEntered", "stateEnteredEventDetails": {"name": "GradeUtility"}},
        {"type": "TaskScheduled", "taskScheduledEventDetails": {"parameters": '{"Payload": {}}'}},
        {"type": "TaskSucceeded", "taskSucceededEventDetails": {"output": output}},
        {"type": "TaskStateExited"},
    ]
    moment = {"timestamp": "2026-11-22T04:00:00+00:00"}
    [step] = steps_of([{"id": n, "previousEventId": n - 1, **moment, **e} for n, e in enumerate(events, 1)])
    assert (step.error, step.cause, step.attempts) == ("TemporarilyUnavailable", "claude is busy: status 529", 4)
