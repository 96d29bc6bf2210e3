"""A question with scripted steps through the deployed definition."""

from typing import Any

from selfrag_cli.local.runner.machine import Execution
from tests.support import steps
from tests.support.questions import question_machine
from tests.support.steps import Scripted

# One step after another, as a reader of a path expects them.
POLICY = {"deadline_seconds": 240, "speculate": "off", "web_search": True}
ASKED: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "policy": POLICY}


def ahead(speculate: str, **policy: Any) -> dict[str, Any]:
    """Return the question under a policy that speculates."""
    return {**ASKED, "policy": {**POLICY, "speculate": speculate, **policy}}


SEARCH = ["Retrieve", "GradeRelevance"]
ANSWER = ["Generate", "GradeSupport", "GradeUtility"]
NONE = lambda event: steps.relevance(event["passage"]["passage_id"], "irrelevant")  # noqa: E731
SOME = lambda event: steps.relevance(event["passage"]["passage_id"], "relevant")  # noqa: E731


def run(asked: dict[str, Any] = ASKED, earlier: Any = None, **script: list[Any]) -> tuple[dict[str, Any], Scripted]:
    """Return the response to a question, and its scripted steps."""
    execution, scripted = executed(asked, earlier, **script)
    assert execution.output is not None, execution.error
    return execution.output, scripted


def executed(asked: dict[str, Any] = ASKED, earlier: Any = None, **script: list[Any]) -> tuple[Execution, Scripted]:
    """Return the execution of a question, and its scripted steps; `earlier` is the item of the answer it follows."""
    scripted = Scripted(**script)
    return question_machine(scripted.handlers(), earlier).start("e", asked).wait(), scripted
