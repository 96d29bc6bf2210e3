"""Going back in an emulator of AWS, without Terraform: which version runs what begins afterwards."""

import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import boto3

from tests.support.command import Command
from tests.support.infra.asking import eventually
from tests.support.infra.emulator import emulator
from tests.support.roles.calls import ACCOUNT, HERE

KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
ROLE = f"arn:aws:iam::{ACCOUNT}:role/r"
MACHINES = {name: f"arn:aws:states:{HERE}:stateMachine:selfrag-{name}" for name in ("ingestion", "standard")}


def definition(release: int) -> str:
    return json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "Result": release, "End": True}}})


def variables(release: int) -> dict[str, Any]:
    numbers = json.dumps(dict.fromkeys(MACHINES, str(release)))
    arn = f"{MACHINES['standard']}:{release}"
    return {
        "Variables": {
            "SELFRAG_RELEASE": numbers,
            "SELFRAG_STANDARD_MACHINE_ARN": arn,
            "SELFRAG_STREAM_VERSION": str(release),
        }
    }


def make_role(aws: str) -> None:
    """A role that functions and machines may take on."""
    services = {"Service": ["lambda.amazonaws.com", "states.amazonaws.com"]}
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": services}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    boto3.client("iam", endpoint_url=aws, **KEYS).create_role(RoleName="r", AssumeRolePolicyDocument=document)


def two_releases(functions: Any, states: Any) -> None:
    """Return the state after two deployments, as far as a rollback needs it."""
    package = io.BytesIO()
    with ZipFile(package, "w") as out:
        out.writestr("x.py", "")
    code = {"Runtime": "python3.13", "Role": ROLE, "Handler": "x.handler", "Code": {"ZipFile": package.getvalue()}}
    for name in ("selfrag-ask", "selfrag-stream"):
        functions.create_function(FunctionName=name, Environment=variables(1), Publish=True, **code)
        functions.update_function_configuration(FunctionName=name, Environment=variables(2))
        functions.publish_version(FunctionName=name)
        share = {"AdditionalVersionWeights": {"1": 0.9}}
        functions.create_alias(FunctionName=name, Name="live", FunctionVersion="2", RoutingConfig=share)
    for name, arn in MACHINES.items():
        states.create_state_machine(name=f"selfrag-{name}", definition=definition(1), roleArn=ROLE, publish=True)
        states.update_state_machine(stateMachineArn=arn, definition=definition(2), publish=True)
        routing = [{"stateMachineVersionArn": f"{arn}:2", "weight": 100}]
        states.create_state_machine_alias(name="live", routingConfiguration=routing)


def test_after_a_rollback_what_begins_is_of_the_release_before(tmp_path: Path) -> None:
    with emulator(tmp_path) as aws:
        functions, states = (boto3.client(name, endpoint_url=aws, **KEYS) for name in ("lambda", "stepfunctions"))
        make_role(aws)
        two_releases(functions, states)
        environment = {name.upper(): value for name, value in KEYS.items() if name != "region_name"} | {
            "AWS_ENDPOINT_URL": aws
        }
        selfrag = Command(tmp_path, tuple(environment.items()))

        def live() -> tuple[str, str, Any]:
            ask, stream = (
                functions.get_alias(FunctionName=f"selfrag-{name}", Name="live")["FunctionVersion"]
                for name in ("ask", "stream")
            )
            started = states.start_execution(stateMachineArn=f"{MACHINES['ingestion']}:live")
            arn = started["executionArn"]
            assert ":execution:selfrag-ingestion:" in arn, "an execution's ARN names no version"
            ran = eventually(lambda: states.describe_execution(executionArn=arn).get("output"), "it did not end")
            return ask, stream, json.loads(ran)

        def rollback(*options: str) -> tuple[int, str]:
            ended = selfrag("rollback", "--region", "us-east-1", *options)
            return ended.code, ended.out + ended.err

        assert live() == ("2", "2", 2)
        assert rollback("--list")[0] == 0
        assert live() == ("2", "2", 2), "a list changes nothing"
        code, said = rollback()
        assert (code, live()) == (0, ("1", "1", 1))
        alias = functions.get_alias(FunctionName="selfrag-ask", Name="live")
        assert not alias.get("RoutingConfig", {}).get("AdditionalVersionWeights"), "no other version keeps a share"
        assert "Release 1 is live; it was release 2." in said
        assert "makes the newest release live again" in said
        assert "there is none before it to go back to" in rollback()[1]
        assert (rollback("--to", "2")[0], live()) == (0, ("2", "2", 2))
        assert "There is no deployment called other in us-east-1" in rollback("--name", "other")[1]
