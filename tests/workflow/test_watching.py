"""Watchers of an execution are woken by what happens in it, and not by its end alone."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import boto3

from tests.support.emulated_aws.interpreter import local_aws
from tests.support.emulated_aws.watching import watch

AN_HOUR, SOON = 3600.0, 20.0


def test_a_watcher_hears_of_a_step_that_ends_while_the_next_is_at_work() -> None:
    first, second = Event(), Event()
    steps = {"first": lambda event, context: first.wait(SOON), "second": lambda event, context: second.wait(SOON)}
    task = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke"}
    asked = {name: {"Arguments": {"FunctionName": name, "Payload": {}}} for name in steps}
    states = {"first": task | asked["first"] | {"Next": "second"}, "second": task | asked["second"] | {"End": True}}
    definition = {"QueryLanguage": "JSONata", "StartAt": "first", "States": states}
    with local_aws(steps, lambda seconds: None), ThreadPoolExecutor(1) as pool:
        role = boto3.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        for name in steps:
            boto3.client("lambda").create_function(
                FunctionName=name, Runtime="python3.13", Role=role, Handler="h.h", Code={"ZipFile": b"x"}
            )
        client = boto3.client("stepfunctions")
        machine = client.create_state_machine(name="m", definition=json.dumps(definition), roleArn=role)
        client.start_execution(stateMachineArn=machine["stateMachineArn"], name="e", input="{}")
        seen = 0
        while (more := watch("e", seen, 1.0)) is not None and more > seen:  # until the first step is at work
            seen = more
        woken = pool.submit(watch, "e", seen, AN_HOUR)
        first.set()
        try:
            assert (woken.result(SOON) or 0) > seen
        finally:
            second.set()
