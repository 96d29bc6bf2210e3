"""A trace as a person sees it: a timeline, a line a step, and what each was given only where it is asked for."""

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from selfrag.domain.history import Step
from selfrag_cli.local.stores.histories import ExecutionHistory
from selfrag_cli.show.step_summaries import summarize
from selfrag_cli.show.traces import show_trace
from tests.support import steps
from tests.support.paper.compared import answers, ranked

PASSAGE = {"passage_id": "p", "document": "leave.md", "heading": "Pay", "text": "25 days."}
WHERE = {"p": "leave.md > Pay"}
NEW = ["RankPaths", "PickCandidate"]
REASON = "The question asks for facts. " * 9


def at(second: float) -> str:
    return f"2026-11-21T12:00:{second:06.3f}Z"


def history_of(*tasks: tuple[str, float, float, Any]) -> list[dict[str, Any]]:
    """Return an execution of tasks, each with its name, its begin and end in seconds, and its result, or its error."""
    asked = json.dumps({"question": "Fee [USD]?"})
    events: list[dict[str, Any]] = [
        {"type": "ExecutionStarted", "timestamp": at(0), "executionStartedEventDetails": {"input": asked}}
    ]
    for name, began, ended, result in tasks:
        outcome = (
            {"type": "TaskFailed", "taskFailedEventDetails": {"error": result, "cause": "It is broken."}}
            if isinstance(result, str)
            else {"type": "TaskSucceeded", "taskSucceededEventDetails": {"output": json.dumps({"Payload": result})}}
        )
        given = {"parameters": json.dumps({"Payload": {"question": "Fee?"}})}
        events += [
            {"type": "TaskStateEntered", "timestamp": at(began), "stateEnteredEventDetails": {"name": name}},
            {"type": "TaskScheduled", "timestamp": at(began), "taskScheduledEventDetails": given},
            {**outcome, "timestamp": at(ended)},
            {"type": "TaskStateExited", "timestamp": at(ended)},
        ]
    end = max([1.0, *(ended for _, _, ended, _ in tasks)])
    events.append({"type": "ExecutionTimedOut", "timestamp": at(end), "executionTimedOutEventDetails": {}})
    return [{**event, "id": n, "previousEventId": n - 1} for n, event in enumerate(events, start=1)]


def lines(*tasks: tuple[str, float, float, Any], full: bool = False, width: int = 80) -> list[str]:
    text = StringIO()
    show_trace(Console(file=text, width=width), ExecutionHistory("abc", history_of(*tasks)), full=full)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_a_trace_of_an_execution_without_a_response_says_how_it_ended() -> None:
    shown = " ".join(" ".join(lines()).split())
    told = "Question Fee [USD]? Status no response (ExecutionTimedOut) Id abc"
    assert shown == f"{told} Time 1.00 s from beginning to end Strategy self_rag"


def test_the_bars_of_a_timeline_stand_where_the_steps_were() -> None:
    first, second = lines(("DecideRetrieval", 0, 1, steps.retrieval("no")), ("GradeUtility", 1, 4, steps.utility(5)))[
        -2:
    ]
    assert first == "1 DecideRetrieval 1.00 s ████             no search is needed: because"
    assert second == "2 GradeUtility    3.00 s     ████████████ 5 of 5: because"


def test_a_step_that_took_no_time_is_seen_in_the_timeline() -> None:
    shown = lines(("DecideRetrieval", 0, 4, steps.retrieval("no")), ("GradeUtility", 4, 4, steps.utility(5)))
    assert shown[-1] == "2 GradeUtility    0.00 s                ▐ 5 of 5: because"


@pytest.mark.parametrize("width", [80, 120])
def test_step_fits_one_line_and_error_is_shown_in_full(width: int) -> None:
    long = {**steps.utility(5), "verdict": {"score": 5, "reason": REASON, "cached": False}}
    *_, header, step = lines(("GradeUtility", 0, 1, long), width=width)
    assert header.split() == ["Step", "Took", "When", "Verdict"]
    assert step.endswith("…")
    assert len(step) <= width
    broken = lines(("GradeUtility", 0, 1, "Overloaded. " * 9), width=width)
    assert " ".join(" ".join(broken).split()).endswith("Overloaded. : It is broken.")


def test_step_input_and_output_are_shown_only_on_request() -> None:
    long = {**steps.utility(5), "verdict": {"score": 5, "reason": REASON * 4, "cached": False}}
    task = ("GradeUtility", 0.0, 1.0, long)
    assert not any("given" in line for line in lines(task))
    shown = lines(task, full=True, width=3000)
    assert any('task    {"question": "Fee?"}' in line for line in shown)
    assert any(REASON * 4 in line for line in shown if "result" in line)


@pytest.mark.parametrize(
    ("name", "given", "result", "words"),
    [
        ("DecideRetrieval", {}, steps.retrieval("yes", "simple"), "a search is needed, simple: because"),
        ("DecideRetrieval", {}, {"verdict": {"decision": "ungraded", "reason": ""}}, "ungraded"),
        ("Retrieve", {"queries": ["leave", "pay"]}, steps.found("p"), "1 passage of 1 document for: leave | pay"),
        ("Retrieve", {"queries": [], "passage_ids": ["p"]}, steps.found("p", "q"),
         "2 passages of 1 document, fetched again"),
        ("SearchWeb", {"query": "leave"}, steps.found(), "0 passages of 0 web pages for: leave"),
        ("GradeRelevance", {}, steps.relevance("p", "relevant", strips=[(0, 2)]),
         "relevant 0.90, 1 strip kept: leave.md > Pay: because"),
        ("GradeRelevance", {"passage": {**PASSAGE, "passage_id": "e"}}, steps.relevance("e", "ungraded", cached=True),
         "ungraded: leave.md > Pay (cached)"),
        ("Generate", {"passages": [PASSAGE, PASSAGE]}, steps.answer(),
         "an answer that cites 1 of 2 passages: 25 days."),
        ("Generate", {"passages": [PASSAGE], "draft": "24."}, steps.answer(),
         "the answer mended that cites 1 of 1 passage: 25 days."),
        ("Generate", {"mode": "direct"}, steps.answer("391."), "an answer without documents: 391."),
        ("Generate", {}, steps.answer(is_found=False), "the passages do not hold the answer"),
        ("Generate", {}, steps.answer(flaw="refused"), "no answer: refused"),
        ("GradeSupport", {}, steps.support("partially_supported"), "partially supported: of 2 claims 1 full, 1 none"),
        ("GradeSupport", {}, steps.support("ungraded"), "ungraded"),
        ("GradeUtility", {}, steps.utility(None), "ungraded: because"),
        ("RewriteQuestion", {}, steps.rewrite("paid leave"), "next query: paid leave"),
        ("RewriteQuestion", {}, steps.rewrite("", new=False), "no query that was not tried"),
        ("DecideRetrieval", {}, {"verdict": {"decision": "complete", "reason": "", "ratio": 0.125}},
         "the answer is complete, r 0.12"),
        ("Plan", {}, {"plan": {"why": "2 of 4 passages relevant: judge it."}}, "2 of 4 passages relevant: judge it."),
        ("RankPaths", {}, ranked(), "3 of 5 texts kept"),
        ("PickCandidate", {}, {"scores": answers(), "winner": {"answer": "A."}}, "2 of 3 texts kept, the best: A."),
        ("PickCandidate", {}, {"scores": answers(), "winner": None}, "2 of 3 texts kept, none is chosen"),
        ("ComposeAnswer", {}, {"status": "answered"}, "answered"),
        ("RememberAnswer", {}, {}, ""),
        ("GradeSupport", {}, None, ""),
    ],
)  # fmt: skip
def test_a_step_says_in_words_what_it_found_judged_or_wrote(name: str, given: Any, result: Any, words: str) -> None:
    assert summarize(Step(name, 0.0, 1.0, 1, given, result, error=""), WHERE) == words


@pytest.mark.parametrize("result", [{}, {"verdict": None}, {"verdict": {}}])
@pytest.mark.parametrize("name", ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", *NEW])
def test_result_with_unknown_fields_is_summarized(name: str, result: dict[str, Any]) -> None:
    assert isinstance(summarize(Step(name, 0.0, 1.0, 1, None, result, error=""), {}), str)
