"""The account of a deployment: its roles as Terraform makes them, its functions, machines and secrets."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.support.doubles.aws_account import Answer, AwsAccount, Reply
from tests.support.roles.calls import ACCOUNT
from tests.support.roles.policies import exported, listed
from tests.support.roles.roles import Roles

REGION = "us-east-1"
CALLER = {"Arn": f"arn:aws:iam::{ACCOUNT}:user/operator", "Account": ACCOUNT}
OUTPUTS = {
    "endpoint": "https://example",
    "bucket": f"selfrag-documents-{ACCOUNT}-{REGION}",
    "collection_endpoint": "https://passages.us-east-1.aoss.amazonaws.com",
    "api_key_command": "aws apigateway get-api-key --query value --api-key k1",
}
KEY = "a-key-that-is-not-to-be-seen"
MACHINE = {"name": "m", "roleArn": "r" * 20, "type": "STANDARD", "creationDate": datetime.now(UTC)}


def deployed(answers: dict[str, Answer] | None = None, policies: Any = None) -> AwsAccount:
    """Return the account of a deployment, with the roles of these policies; by default as Terraform makes them."""
    roles = Roles(policies or exported())

    def simulate(asked: Reply) -> Reply:
        role, [resource] = asked["PolicySourceArn"].rpartition("/selfrag-")[2], asked["ResourceArns"]
        decided = {True: "allowed", False: "implicitDeny"}
        return {
            "EvaluationResults": [
                {"EvalActionName": action, "EvalDecision": decided[roles.allow(role, action, resource)]}
                for action in asked["ActionNames"]
            ]
        }

    def machine(asked: Reply) -> Reply:
        runs = exported()[asked["stateMachineArn"].rpartition(":selfrag-")[2]]["Statement"]
        # The versions of functions, where a role may call any.
        arns = [arn.replace("*", "1") for each in runs if each["Sid"] == "RunSteps" for arn in listed(each["Resource"])]
        return {
            **MACHINE,
            "stateMachineArn": asked["stateMachineArn"],
            "definition": json.dumps({"Resource": arns}),
        }

    usual: dict[str, Answer] = {
        "sts.GetCallerIdentity": CALLER,
        "secretsmanager.DescribeSecret": lambda asked: {
            "ARN": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{asked['SecretId']}-random",
            "VersionIdsToStages": {"v" * 32: ["AWSCURRENT"]},
        },
        "lambda.GetAlias": lambda asked: {"FunctionVersion": "3" if "stream" in asked["FunctionName"] else "7"},
        "lambda.ListVersionsByFunction": {"Versions": [_version(6, 40), _version(7, 41)]},
        "stepfunctions.DescribeStateMachineAlias": lambda asked: routed(asked, 41),
        "iam.SimulatePrincipalPolicy": simulate,
        "stepfunctions.DescribeStateMachine": machine,
        "opensearchserverless.GetAccessPolicy": {
            "accessPolicyDetail": {"policy": (policies or exported())["collection"]}
        },
        "apigateway.GetApiKey": {"value": KEY},
        "s3.DeleteObject": {},
    }
    return AwsAccount({**usual, **(answers or {})})


def routed(asked: Reply, version: int) -> Reply:
    """Return the alias of a machine that routes to this version."""
    machine = asked["stateMachineAliasArn"].removesuffix(":live")
    return {"routingConfiguration": [{"stateMachineVersionArn": f"{machine}:{version}", "weight": 100}]}


def _version(number: int, of_machines: int) -> Reply:
    machines = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:selfrag"
    variables = {
        "SELFRAG_RELEASE": json.dumps(dict.fromkeys(("ingestion", "standard"), str(of_machines))),
        "SELFRAG_STANDARD_MACHINE_ARN": f"{machines}-standard:{of_machines}",
        "SELFRAG_STREAM_VERSION": "3",
    }
    made = "2026-11-24T10:00:00.000+0000"
    return {"Version": str(number), "LastModified": made, "Environment": {"Variables": variables}}
