"""The evaluation's machine in an emulator of AWS, without Terraform, over a machine that stands in for questions."""

import json
from collections import Counter
from typing import Any

import boto3

from selfrag_cli.local.definitions import EVALUATION, definition_json
from tests.support.definition import IN_EXPRESSIONS
from tests.support.infra.asking import eventually
from tests.support.roles.calls import HERE, bucket_arn
from tests.support.roles.policies import Policies, exported

KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
BUCKET = bucket_arn("selfrag-work").rpartition(":")[2]
_ARN = f"arn:aws:states:{HERE}:stateMachine:selfrag"
MACHINE = f"{_ARN}-evaluation:live"
# Of the questions that say so, the first try fails: by an execution that fails, or by an answer that says so.
BREAKS, FAILS = "It breaks:", "It fails:"
_FIRST_OF = '{{% $contains($states.input.question, "{}") and $contains($states.context.Execution.Name, /-0$/) %}}'
_RESPONSE = {
    "id": "{% $states.context.Execution.Name %}",
    "answer": '{% "Of " & $states.input.question %}',
    "citations": [],
    "path": ["Retrieve", "Generate"],
    "queries": [],
    "usage": {"cost_usd": 0.001, "model_calls": 7, "rounds": 3},
}
QUESTIONS = {
    "QueryLanguage": "JSONata",
    "StartAt": "Route",
    "States": {
        "Route": {
            "Type": "Choice",
            "Choices": [
                {"Condition": _FIRST_OF.format(BREAKS), "Next": "Break"},
                {"Condition": _FIRST_OF.format(FAILS), "Next": "Fail"},
            ],
            "Default": "Answer",
        },
        "Break": {"Type": "Fail", "Error": "ComposeFailed", "Cause": "No response was put together."},
        "Fail": {"Type": "Pass", "Output": {**_RESPONSE, "status": "failed"}, "End": True},
        "Answer": {"Type": "Pass", "Output": {**_RESPONSE, "status": "answered"}, "End": True},
    },
}


class Evaluated:
    """The machines at an emulator; the role of the evaluation is the one that Terraform makes."""

    def __init__(self, aws: str, policies: Policies | None = None) -> None:
        self.states, self.s3 = (boto3.client(name, endpoint_url=aws, **KEYS) for name in ("stepfunctions", "s3"))
        iam, policies = boto3.client("iam", endpoint_url=aws, **KEYS), policies or exported()
        trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "states.amazonaws.com"}}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        machines = {"standard": json.dumps(QUESTIONS), "evaluation": self._definition()}
        for machine, definition in machines.items():
            role = iam.create_role(RoleName=f"selfrag-{machine}", AssumeRolePolicyDocument=document)["Role"]
            policy = json.dumps(policies[machine])
            iam.put_role_policy(RoleName=f"selfrag-{machine}", PolicyName="machine", PolicyDocument=policy)
            made = self.states.create_state_machine(
                name=f"selfrag-{machine}", definition=definition, roleArn=role["Arn"], publish=True
            )
            routing = [{"stateMachineVersionArn": made["stateMachineVersionArn"], "weight": 100}]
            self.states.create_state_machine_alias(name="live", routingConfiguration=routing)
        self.s3.create_bucket(Bucket=BUCKET)

    @staticmethod
    def _definition() -> str:
        names = {
            **IN_EXPRESSIONS,
            "evaluation_concurrency": "20",
            "work_bucket": BUCKET,
            "question_machine": f"{_ARN}-standard:live",
        }
        return definition_json(EVALUATION, names)

    def run(self, run: str) -> dict[str, Any]:
        """Return how an execution of a run ends, as Step Functions describes it."""
        given = json.dumps({"run": run})
        arn = self.states.start_execution(stateMachineArn=MACHINE, input=given)["executionArn"]

        def end() -> dict[str, Any] | None:
            found: dict[str, Any] = self.states.describe_execution(executionArn=arn)
            return None if found["status"] == "RUNNING" else found

        return eventually(end, "the evaluation did not end")

    def put(self, key: str, body: str) -> None:
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=body.encode())

    def read(self, key: str) -> Any:
        return json.loads(self.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read())

    def keys(self, prefix: str) -> list[str]:
        """Return the keys of the objects below a prefix."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def asked(self) -> Counter[str]:
        """Return how often each question was asked, by the executions of the machine that answers."""
        pages = self.states.get_paginator("list_executions").paginate(stateMachineArn=f"{_ARN}-standard")
        arns = [each["executionArn"] for page in pages for each in page["executions"]]
        inputs = [json.loads(self.states.describe_execution(executionArn=arn)["input"]) for arn in arns]
        return Counter(each["question"] for each in inputs)
