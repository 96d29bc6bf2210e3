"""Which way a strategy took is told by its trace, and what it kept of a passage."""

import re
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.show.traces import show_trace
from tests.support import steps
from tests.workflow.asking import ASKED, executed

# The frames of panels and the bars of the timeline.
FRAMES = re.compile("[\u2500-\u259f]")
TIMELINE = "Step Took When Verdict"


def traced(strategy: str, web_search: bool = True, **script: list[Any]) -> tuple[str, list[str]]:
    """Return what `selfrag trace` prints of a question by this strategy, in one line; and its path."""
    policy = {**ASKED["policy"], "strategy": strategy, "web_search": web_search}
    execution, _ = executed({**ASKED, "policy": policy}, **script)
    assert execution.output is not None
    text = StringIO()
    show_trace(Console(file=text, width=300), ExecutionHistory("abc", execution.history), full=True)
    return " ".join(FRAMES.sub(" ", text.getvalue()).split()), execution.output["path"]


def graded(documents: str, web: str = "relevant", **more: Any) -> dict[str, list[Any]]:
    """Return a grader that gives all passages of the documents one label, and all of the web another."""
    label_of = {"p": documents, "w": web}
    return {
        "grade_relevance": [
            lambda e: steps.relevance(e["passage"]["passage_id"], label_of[e["passage"]["passage_id"][0]], **more)
        ]
    }


DOCUMENTS, WEB = ["Retrieve", "GradeRelevance"], ["SearchWeb", "GradeRelevance"]


@pytest.mark.parametrize(
    ("label", "shown", "path"),
    [
        ("relevant", "correct: a passage of the documents is relevant, so the documents are used alone", []),
        ("ambiguous", "ambiguous: the passages of the documents are in doubt, so the web is used beside them", WEB),
        ("irrelevant", "incorrect: no passage of the documents helps, so the web is used alone", WEB),
    ],
)
def test_the_trace_says_which_of_crags_three_ways_was_taken(label: str, shown: str, path: list[str]) -> None:
    trace, taken = traced("corrective", **graded(label))
    assert f"Strategy corrective, {shown} {TIMELINE} 1 Plan" in trace
    assert taken == [*DOCUMENTS, *path, "Generate"]


def test_what_the_web_brings_does_not_change_what_is_said_of_the_documents() -> None:
    for label in ("relevant", "ambiguous", "irrelevant"):
        assert "Strategy corrective, ambiguous: " in traced("corrective", **graded("ambiguous", label))[0]


@pytest.mark.parametrize(("label", "action"), [("ambiguous", "ambiguous: "), ("irrelevant", "incorrect: ")])
def test_where_the_web_is_not_searched_the_trace_says_so(label: str, action: str) -> None:
    trace, _ = traced("corrective", web_search=False, **graded(label))
    assert f"Strategy corrective, {action}" in trace
    assert f"and the web is not searched {TIMELINE} 1 Plan" in trace


@pytest.mark.parametrize(
    "script",
    [graded("ungraded"), {"retrieve": [TimeoutError("a step that dies")]}],
    ids=["grader down", "search fails"],
)
def test_no_way_is_told_where_a_fault_took_it(script: dict[str, list[Any]]) -> None:
    assert f"Strategy corrective {TIMELINE} 1 Plan" in traced("corrective", **script)[0]


def test_the_trace_shows_the_strips_that_are_kept_of_a_passage_in_its_own_words() -> None:
    trace, _ = traced("corrective", **graded("relevant", strips=[(0, 5), (9, 16)]))
    assert trace.count('strips ["Leave", "25 days"]') == 4
    assert "strips [" not in traced("corrective", **graded("relevant"))[0]


@pytest.mark.parametrize(
    ("decision", "shown", "path"),
    [
        (steps.retrieval("no"), "no search: the answer is written directly", ["Generate", "GradeUtility"]),
        (
            steps.retrieval("yes", "simple"),
            "simple: one search and one answer, which no step judges",
            ["Retrieve", "Generate"],
        ),
        (
            steps.retrieval("yes", "complex"),
            "full loop: searched, judged and repaired as by self_rag",
            [*DOCUMENTS, "Generate", "GradeSupport", "GradeUtility"],
        ),
    ],
    ids=["no search", "one pass", "the full loop"],
)
def test_the_trace_says_which_of_adaptives_three_ways_was_taken(
    decision: dict[str, Any], shown: str, path: list[str]
) -> None:
    trace, taken = traced("adaptive", decide_retrieval=[decision])
    assert f"Strategy adaptive, {shown} {TIMELINE} 1 Plan" in trace
    assert taken == ["DecideRetrieval", *path]


@pytest.mark.parametrize("strategy", ["naive", "self_rag"])
def test_a_strategy_of_one_way_is_told_by_its_name(strategy: str) -> None:
    trace, taken = traced(strategy)
    assert f"Strategy {strategy} {TIMELINE} 1 Plan" in trace
    assert f" 3 {taken[0]} " in trace or f" 2 {taken[0]} " in trace
