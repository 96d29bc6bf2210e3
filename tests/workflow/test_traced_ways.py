"""A strategy's trace names its way, and the kept parts of a passage."""

import re
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from selfrag_cli.local.stores.histories import ExecutionHistory
from selfrag_cli.show.traces import show_trace
from tests.support import steps
from tests.workflow.asking import ASKED, executed

# The frames of panels and the bars of the timeline.
FRAMES = re.compile("[\u2500-\u259f]")


def traced(strategy: str, web_search: bool = True, **script: list[Any]) -> str:
    """Return what `selfrag trace` prints of a question by this strategy, in one line."""
    policy = {**ASKED["policy"], "strategy": strategy, "web_search": web_search}
    execution, _ = executed({**ASKED, "policy": policy}, **script)
    assert execution.output is not None
    text = StringIO()
    show_trace(Console(file=text, width=300), ExecutionHistory("abc", execution.history), full=True)
    return " ".join(FRAMES.sub(" ", text.getvalue()).split())


def graded(documents: str, web: str = "relevant", **more: Any) -> dict[str, list[Any]]:
    """Return a grader that gives all passages of the documents one label, and all of the web another."""
    label_of = {"p": documents, "w": web}
    return {
        "grade_relevance": [
            lambda e: steps.relevance(e["passage"]["passage_id"], label_of[e["passage"]["passage_id"][0]], **more)
        ]
    }


@pytest.mark.parametrize(
    ("label", "way"),
    [
        ("relevant", "4 of 4 passages relevant: answer from 4 passages."),
        ("ambiguous", "4 of 4 passages ambiguous: search the web."),
        ("irrelevant", "0 of 4 passages relevant: search the web."),
    ],
)
def test_trace_names_corrective_action_in_plan_lines(label: str, way: str) -> None:
    assert way in traced("corrective", **graded(label))


def test_trace_quotes_the_kept_strips_of_a_passage() -> None:
    trace = traced("corrective", **graded("relevant", strips=[(0, 5), (9, 16)]))
    assert trace.count('strips ["Leave", "25 days"]') == 4
    assert "strips [" not in traced("corrective", **graded("relevant"))
