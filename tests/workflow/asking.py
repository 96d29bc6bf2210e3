"""A question with scripted steps: through its plans, or through the real definition in the emulator."""

from typing import Any

import boto3

from tests.support import steps
from tests.support.emulated_aws.resources import TABLES
from tests.support.emulated_aws.stack import Execution, running_stack
from tests.support.machine import Machine
from tests.support.steps import Scripted

# One step after another, as a reader of a path expects them.
POLICY = {"deadline_seconds": 240, "speculate": "off"}
ASKED: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "policy": POLICY}


def ahead(speculate: str, **policy: Any) -> dict[str, Any]:
    """Return the question under a policy that speculates."""
    return {**ASKED, "policy": {**POLICY, "speculate": speculate, **policy}}


SEARCH = ["Retrieve", "GradeRelevance"]
ANSWER = ["Generate", "GradeSupport", "GradeUtility"]
NONE = lambda event: steps.relevance(event["passage"]["passage_id"], "irrelevant")  # noqa: E731
SOME = lambda event: steps.relevance(event["passage"]["passage_id"], "relevant")  # noqa: E731


def run(asked: dict[str, Any] = ASKED, earlier: Any = None, **script: list[Any]) -> tuple[dict[str, Any], Scripted]:
    """The response to a question, and what its steps were given; `earlier` is the item of the answer it follows."""
    scripted = Scripted(**script)
    return Machine(asked, scripted.handlers(), earlier).run(), scripted


def executed(asked: dict[str, Any] = ASKED, earlier: Any = None, **script: list[Any]) -> tuple[Execution, Scripted]:
    """Return the same through the real definition in the emulator."""
    scripted = Scripted(**script)
    handlers, pause = scripted.handlers(), lambda seconds: None
    with running_stack({}, {}, handlers=handlers, pause=pause) as stack:
        if earlier:
            boto3.client("dynamodb").put_item(TableName=TABLES["answers_table"][0], Item=earlier)
        return stack.execute(asked), scripted
