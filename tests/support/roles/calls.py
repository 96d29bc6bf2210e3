"""Calls of AWS as IAM actions and resources, by the names of the deployment of policies.json."""

from typing import Any
from urllib.parse import urlsplit

from selfrag_cli.local.stack import MACHINE_ARN
from tests.support.aws.resources import MODEL_SECRET, WEB_SECRET

ACCOUNT = "000000000000"
HERE = f"us-east-1:{ACCOUNT}"
COLLECTION = f"arn:aws:aoss:{HERE}:collection/passages"

_PREFIXES = {"stepfunctions": "states", "bedrock-runtime": "bedrock", "bedrock-agent-runtime": "bedrock"}
# Reading an object, or its head, needs GetObject; Converse needs InvokeModel.
_ACTIONS = {
    "bedrock:Converse": "bedrock:InvokeModel",
    "lambda:Invoke": "lambda:InvokeFunction",
    "s3:HeadObject": "s3:GetObject",
}
_SECRETS = {
    "model-key": "selfrag/anthropic", MODEL_SECRET: "selfrag/anthropic",
    "web-key": "selfrag/tavily", WEB_SECRET: "selfrag/tavily",
}  # fmt: skip


def action_of(service: str, operation: str) -> str:
    """Return the IAM action of an operation of botocore."""
    action = f"{_PREFIXES.get(service, service)}:{operation}"
    return _ACTIONS.get(action, action)


def resource_of(action: str, parameters: dict[str, Any]) -> str:
    """Return the ARN that decides a call; "*" if there is none."""
    match action.split(":")[0]:
        case "s3":
            return f"{bucket_arn(parameters['Bucket'])}/{parameters['Key']}"
        case "dynamodb":
            index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
            [table] = parameters.get("RequestItems") or [parameters["TableName"]]
            return f"arn:aws:dynamodb:{HERE}:table/{table}{index}"
        case "secretsmanager":
            name = parameters["SecretId"]
            return f"arn:aws:secretsmanager:{HERE}:secret:{_SECRETS.get(name, name)}-random"
        case "lambda":
            # Lambda checks the invoked ARN. Deployed definitions name a version, the laptop's a function.
            if parameters["FunctionName"].endswith(":live"):
                return str(parameters["FunctionName"])
            return f"arn:aws:lambda:{HERE}:function:selfrag-{parameters['FunctionName'].split(':')[-1]}:1"
        case "bedrock" if "knowledgeBaseId" in parameters:
            return f"arn:aws:bedrock:{HERE}:knowledge-base/{parameters['knowledgeBaseId']}"
        case "bedrock":
            return f"arn:aws:bedrock:us-east-1::foundation-model/{parameters['modelId']}"
        case "states" if "executionArn" in parameters:
            *_, machine, name = parameters["executionArn"].split(":")
            return f"arn:aws:states:{HERE}:execution:{machine}-standard:{name}"
        case "states":
            # Step Functions decides by the machine, whichever of its versions is started; locally one stands for both.
            kind = "express" if action == "states:StartSyncExecution" else "standard"
            return f"arn:aws:states:{HERE}:stateMachine:{MACHINE_ARN.rpartition(':')[2]}-{kind}"
    return "*"


def read_by(action: str, parameters: dict[str, Any]) -> tuple[str, str] | None:
    """Return the action and the resource that a service reads in its caller's name."""
    if not action.startswith("textract:Start"):
        return None
    where = parameters["DocumentLocation"]["S3Object"]
    return "s3:GetObject", f"{bucket_arn(where['Bucket'])}/{where['Name']}"


def bucket_arn(local_name: str) -> str:
    """Return the ARN of a bucket, which has the account and the region in its name."""
    return f"arn:aws:s3:::{local_name}-{ACCOUNT}-us-east-1"


def step_of(resource: str) -> str:
    """Return the step whose function a resource is, or a version of it; for any other resource something else."""
    return resource.rpartition(":selfrag-")[2].partition(":")[0]


def data_access(method: str, url: str, collection: str) -> tuple[str, str]:
    """Return the permission and the index that a request to the collection needs."""
    index, *rest = urlsplit(url).path.strip("/").split("/")
    match method, rest:
        case "PUT", []:
            permission = "CreateIndex"
        case ("HEAD", []) | ("GET", ["_mapping"]):
            permission = "DescribeIndex"
        case "PUT", ["_mapping"]:
            permission = "UpdateIndex"
        case "POST", ["_search" | "_msearch"]:
            permission = "ReadDocument"
        case _:
            permission = "WriteDocument"
    return f"aoss:{permission}", f"index/{collection}/{index}"
