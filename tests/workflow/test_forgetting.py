"""What has ended is forgotten in its turn, so that a server keeps its size; what is at work is not."""

import gc
import json
import threading
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models.dynamo_type import Item

from cli.local.aws.interpreter import local_aws
from cli.local.aws.lighter.running import KEPT_EXECUTIONS
from cli.local.aws.resources import ROLE, TABLES, make

ONE = {"QueryLanguage": "JSONata", "StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": 1, "End": True}}}


def status_of(client: Any, execution: str) -> str:
    return str(client.describe_execution(executionArn=execution)["status"])


def test_finished_executions_are_forgotten_but_the_last_and_those_at_work() -> None:
    let_go = threading.Event()
    waiting: set[threading.Thread] = set()

    def pause(seconds: float) -> None:
        if not waiting or threading.current_thread() in waiting:
            waiting.add(threading.current_thread())
            let_go.wait(60)

    with local_aws({}, pause):
        client = boto3.client("stepfunctions")
        machine = client.create_state_machine(name="m", definition=json.dumps(ONE), roleArn=ROLE)["stateMachineArn"]
        at_work = client.start_execution(stateMachineArn=machine, name="waits")["executionArn"]
        while not waiting:
            threading.Event().wait(0.01)
        for number in range(KEPT_EXECUTIONS + 20):
            ended = client.start_sync_execution(stateMachineArn=machine, name=f"e{number}", input="{}")
            assert ended["status"] == "SUCCEEDED"
        found = client.list_executions(stateMachineArn=machine, maxResults=1000)["executions"]
        assert len(found) <= KEPT_EXECUTIONS + 2
        assert status_of(client, at_work) == "RUNNING"
        assert status_of(client, ended["executionArn"]) == "SUCCEEDED"
        with pytest.raises(ClientError, match="ExecutionDoesNotExist"):
            status_of(client, at_work.replace("waits", "e0"))
        let_go.set()


def test_an_item_that_was_overwritten_is_not_kept() -> None:
    def items() -> int:
        gc.collect()
        return sum(isinstance(one, Item) for one in gc.get_objects())

    with local_aws({}):
        make({})
        client = boto3.client("dynamodb")
        before = items()
        for number in range(50):
            item = {"id": {"S": "a"}, "n": {"N": str(number)}}
            client.put_item(TableName=TABLES["answers_table"][0], Item=item)
        assert items() <= before + 2
