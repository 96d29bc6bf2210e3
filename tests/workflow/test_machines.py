"""Which machine the local stack runs a question on, and that a machine's own defaults are those of the edge."""

import json
from typing import Any

import boto3
import pytest

from cli.local.aws.definitions import WORKFLOWS, definition_json
from cli.local.aws.environment import ARNS
from cli.local.aws.resources import TABLES
from cli.local.aws.stack import running_stack
from selfrag.domain.policy import Policy
from selfrag.domain.strategies import Workflow, workflow_of
from tests.support.steps import Scripted
from tests.support.walks.remembered import template

PAPERS: list[Workflow] = ["candidates", "segments"]
BY_HAND = {"question": "How many days?", "collections": ["c"]}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_an_execution_that_is_started_by_hand_has_the_policy_that_a_caller_gets(workflow: Workflow) -> None:
    assigned = json.loads(definition_json(WORKFLOWS[workflow]))["States"]["ReadRequest"]["Assign"]
    bindings: dict[str, Any] = {"states": {"input": BY_HAND}}
    caller = Policy() if workflow == "question" else Policy.model_validate({"strategy": workflow})
    assert template(assigned["policy"], bindings) == caller.model_dump(mode="json")


@pytest.mark.parametrize("strategy", ["self_rag", "naive", "corrective", "adaptive", *PAPERS])
def test_a_question_runs_on_the_machine_of_its_strategy(strategy: str) -> None:
    scripted = Scripted()
    with running_stack({}, {}, handlers=scripted.handlers(), workflows=list(WORKFLOWS)) as stack:
        policy = {"strategy": strategy, "web_search": False, "deadline_seconds": 240}
        execution = stack.execute({**BY_HAND, "policy": policy})
        assert execution.output, execution.error
        arn = execution.output["execution"]["arn"]
    assert arn == f"{ARNS[workflow_of(strategy)].replace(':stateMachine:', ':execution:')}:{execution.id}"


@pytest.mark.parametrize("strategy", PAPERS)
def test_a_question_whose_response_could_not_be_composed_is_still_known_by_its_strategy(strategy: Workflow) -> None:
    handlers = Scripted(compose_answer=[RuntimeError("no")]).handlers()
    with running_stack({}, {}, handlers=handlers, workflows=[strategy], pause=lambda seconds: None) as stack:
        execution = stack.execute({**BY_HAND, "policy": {"strategy": strategy, "web_search": False}})
        table, key = TABLES["answers_table"][0], {"id": {"S": execution.id}}
        item = boto3.client("dynamodb").get_item(TableName=table, Key=key)["Item"]
    assert (execution.output, item["strategy"]) == (None, {"S": strategy})
