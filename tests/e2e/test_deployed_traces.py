"""`selfrag trace` of an execution of a deployment, with an operator's credentials."""

import json

from tests.e2e.conftest import Run
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack


def test_an_execution_of_a_deployment_is_read_by_its_arn(here: Run) -> None:
    with ModelServer() as model, local_stack(model) as stack:
        execution = stack.execute(QUESTION)
        assert execution.output is not None
        arn = execution.output["execution"]["arn"]
        assert QUESTION["question"] in here("trace", arn).out
        assert json.loads(here("trace", arn, "--json").out)[-1]["type"] == "ExecutionSucceeded"
        gone = here("trace", arn.replace(execution.id, "gone"))
    assert (gone.code, "There is no execution" in gone.err) == (2, True)
    for other in ("arn:aws:states:eu-west-1:123456789012:express:selfrag-express:abc:def", "arn:aws:states"):
        refused = here("trace", other)
        assert (refused.code, "Standard executions alone" in refused.err) == (2, True)
