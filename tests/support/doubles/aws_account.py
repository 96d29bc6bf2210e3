"""An AWS account as the doctor meets it: real clients of boto3, whose calls are answered here and never sent.

Requests and replies are validated by botocore's shapes. An operation without an answer fails the test.
"""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from io import BytesIO
from typing import Any

import boto3
from botocore.loaders import create_loader
from botocore.session import Session
from botocore.validate import ParamValidator

Reply = dict[str, Any]
Answer = Reply | Exception | Callable[[Reply], Reply | Exception]

REGION, ACCOUNT = "eu-central-1", "123456789012"
CALLER = f"arn:aws:iam::{ACCOUNT}:user/operator"
TITAN_CALLS = "On-demand model inference requests per minute for Amazon Titan Text Embeddings V2"
TITAN_TOKENS = "On-demand model inference tokens per minute for Amazon Titan Text Embeddings V2"

EMBEDDED = json.dumps({"embedding": [0.0625] * 256}).encode()

# Read once: reading a service's model takes a tenth of a second.
_MODELS = create_loader()


class Refused(Exception):
    """An answer by which a service refuses: the code of its error, a message, and the status."""

    def __init__(self, code: str, message: str = "no", status: int = 400) -> None:
        self.reply = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": "r"},
        }


NOT_ALLOWED = Refused("AccessDeniedException", f"User: {CALLER} is not authorized to perform: that", 403)


def quota(name: str, value: float, code: str = "L-1", adjustable: bool = True) -> Reply:
    """Return an entry of Service Quotas."""
    return {"QuotaName": name, "QuotaCode": code, "Value": value, "Adjustable": adjustable}


def titan_quotas(calls: float, adjustable: bool = True) -> list[Reply]:
    """Return the quotas of Titan V2: calls, and 300,000 tokens a minute."""
    named = quota(TITAN_CALLS, calls, "L-26C560CE", adjustable)
    return [named, quota(TITAN_TOKENS, 300_000, "L-DE641971", adjustable)]


class AwsAccount:
    """An account with its usual limits, in which nothing is deployed; `answers` may be changed.

    `answers` are by service and operation, such as "sts.GetCallerIdentity": a reply, a function of the request, or an
    exception. `quotas` are by service code. `asked` are all calls.
    """

    def __init__(self, answers: Mapping[str, Answer] | None = None, **quotas: list[Reply]) -> None:
        self.asked: list[tuple[str, Reply]] = []
        self.quotas = {"bedrock": titan_quotas(2_000), **quotas}
        self.answers: dict[str, Answer] = {**self._usual(), **(answers or {})}

    def session(self, region: str | None = REGION) -> boto3.Session:
        """Return what makes clients of this account."""
        core = Session()
        core.register_component("data_loader", _MODELS)
        core.set_credentials("test", "test")
        session = boto3.Session(botocore_session=core, region_name=region)
        session.events.register("provide-client-params.*.*", self._remember)
        session.events.register("before-call.*.*", self._answer)
        return session

    def _usual(self) -> dict[str, Answer]:
        return {
            "sts.GetCallerIdentity": {"Arn": CALLER, "Account": ACCOUNT},
            "lambda.GetAccountSettings": limit_of_lambda(1_000),
            "service-quotas.ListServiceQuotas": lambda asked: {"Quotas": self.quotas.get(asked["ServiceCode"], [])},
            "service-quotas.ListAWSDefaultServiceQuotas": {"Quotas": []},
            "bedrock-runtime.InvokeModel": lambda asked: {"body": BytesIO(EMBEDDED), "contentType": "application/json"},
            "stepfunctions.StartSyncExecution": Refused("StateMachineDoesNotExist"),
            "opensearchserverless.GetAccountSettings": limit_of_collections(2, 2),
            "opensearchserverless.BatchGetCollection": {"collectionDetails": []},
            "textract.GetDocumentTextDetection": Refused("InvalidJobIdException"),
            "apigateway.GetAccount": {"cloudwatchRoleArn": f"arn:aws:iam::{ACCOUNT}:role/all-api-logs"},
            **self._nothing_deployed(),
        }

    def _nothing_deployed(self) -> dict[str, Answer]:
        return {
            "iam.SimulatePrincipalPolicy": simulated(lambda action, resource, context: True),
            "iam.GetRole": Refused("NoSuchEntity", status=404),
            "s3.HeadBucket": Refused("404", status=404),
            "logs.DescribeLogGroups": {"logGroups": []},
            "secretsmanager.DescribeSecret": Refused("ResourceNotFoundException"),
        }

    def _remember(self, params: Reply, model: Any, **_: Any) -> None:
        self.asked.append((f"{model.service_model.service_name}.{model.name}", deepcopy(params)))

    def _answer(self, model: Any, **_: Any) -> tuple[Any, Reply]:
        operation, asked = self.asked[-1]
        assert operation in self.answers, f"{operation} is called, and this account has no answer to it"
        answer = self.answers[operation]
        if callable(answer):
            answer = answer(asked)
        if isinstance(answer, Refused):
            return _Response(answer.reply["ResponseMetadata"]["HTTPStatusCode"]), deepcopy(answer.reply)
        if isinstance(answer, Exception):
            raise answer
        reply = deepcopy(answer)
        plain = {name: value for name, value in reply.items() if not isinstance(value, BytesIO)}
        required = model.output_shape.required_members if model.output_shape else []
        assert set(required) <= set(reply), f"{operation} always answers {required}"
        _validate(plain, model.output_shape, required)
        return _Response(200), {**reply, "ResponseMetadata": {"HTTPStatusCode": 200}}


def simulated(allows: Callable[[str, str, dict[str, list[str]]], bool]) -> Callable[[Reply], Reply]:
    """Return a result of IAM's simulation, from the statements that allow an action on a resource in a context."""

    def simulate(request: Reply) -> Reply:
        context = {each["ContextKeyName"]: each["ContextKeyValues"] for each in request["ContextEntries"]}
        return {
            "EvaluationResults": [
                {
                    "EvalActionName": action,
                    "EvalResourceName": resource,
                    "EvalDecision": "allowed" if allows(action, resource, context) else "implicitDeny",
                }
                for action in request["ActionNames"]
                for resource in request["ResourceArns"]
            ]
        }

    return simulate


def limit_of_lambda(functions: int) -> Reply:
    """Return what Lambda says of an account that runs so many functions at once."""
    return {"AccountLimit": {"ConcurrentExecutions": functions, "UnreservedConcurrentExecutions": functions}}


def limit_of_collections(indexing: int, search: int) -> Reply:
    """Return what OpenSearch Serverless says of the most units of all collections."""
    limits = {"maxIndexingCapacityInOCU": indexing, "maxSearchCapacityInOCU": search}
    return {"accountSettingsDetail": {"capacityLimits": limits}}


def _validate(reply: Reply, shape: Any, required: list[str]) -> None:
    if shape is not None and set(required) <= set(reply):
        report = ParamValidator().validate(reply, shape)
        assert not report.has_errors(), report.generate_report()


class _Response:
    """The part of an HTTP response that botocore reads."""

    def __init__(self, status: int) -> None:
        self.status_code = status
