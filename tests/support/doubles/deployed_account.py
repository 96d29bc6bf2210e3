"""The account of a deployment: its roles as Terraform makes them, its functions, machines and secrets."""

import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import httpx2

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
_SAGEMAKER = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}"
MACHINE = {"name": "m", "roleArn": "r" * 20, "type": "STANDARD", "creationDate": datetime.now(UTC)}


def deployed(answers: dict[str, Answer] | None = None, policies: Any = None) -> AwsAccount:
    """The account of a deployment, with the roles of these policies; by default as Terraform makes them."""
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
        "lambda.GetFunctionConfiguration": {"State": "Active", "LastUpdateStatus": "Successful"},
        "lambda.GetFunctionConcurrency": {},
        "iam.SimulatePrincipalPolicy": simulate,
        "stepfunctions.DescribeStateMachine": machine,
        "opensearchserverless.GetAccessPolicy": {
            "accessPolicyDetail": {"policy": (policies or exported())["collection"]}
        },
        "apigateway.GetApiKey": {"value": KEY},
        "stepfunctions.StartExecution": {"executionArn": "arn:e", "startDate": datetime.now(UTC)},
        "stepfunctions.DescribeExecution": execution("SUCCEEDED", '{"asked": 1, "succeeded": 0, "failed": 0}'),
        "stepfunctions.StopExecution": {"stopDate": datetime.now(UTC)},
        "stepfunctions.RedriveExecution": {"redriveDate": datetime.now(UTC)},
        "sqs.GetQueueUrl": {"QueueUrl": "https://queue"},
        "sqs.GetQueueAttributes": {"Attributes": {"ApproximateNumberOfMessages": "0"}},
        "s3.DeleteObject": {},
        "s3.PutObject": {},
        "s3.GetObject": lambda asked: answer_of_evaluation(asked, tries=0),
    }
    return AwsAccount({**usual, **(answers or {})})


def endpoint(server: str) -> dict[str, Answer]:
    """What SageMaker says of an endpoint `mine` with a component `one`, whose server is at this address."""
    named = {"EndpointName": "mine", "EndpointArn": f"{_SAGEMAKER}:endpoint/mine"}
    made = {"CreationTime": datetime.now(UTC), "LastModifiedTime": datetime.now(UTC)}
    component = {"InferenceComponentName": "one", "InferenceComponentArn": f"{_SAGEMAKER}:inference-component/one"}
    return {
        "sagemaker.DescribeEndpoint": {**named, **made, "EndpointStatus": "InService"},
        "sagemaker.DescribeInferenceComponent": {
            **named, **made, **component, "InferenceComponentStatus": "InService",
            "RuntimeConfig": {"CurrentCopyCount": 1},
        },
        "sagemaker-runtime.InvokeEndpoint": lambda asked: {
            "Body": BytesIO(httpx2.post(f"{server}/invocations", content=asked["Body"]).content)
        },
    }  # fmt: skip


def answer_of_evaluation(asked: Reply, tries: int) -> Reply:
    """An answer in the work bucket, of a question that failed so many times before."""
    run = asked["Key"].split("/")[1]
    return {"Body": BytesIO(json.dumps({"response": {"id": f"{run}-doctor-{tries}"}}).encode())}


def execution(status: str, output: str = "{}") -> Reply:
    return {"executionArn": "arn:e", "stateMachineArn": "arn:m", "startDate": datetime.now(UTC), "status": status,
            "output": output}  # fmt: skip
