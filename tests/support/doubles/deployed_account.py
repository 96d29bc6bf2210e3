"""The account of a deployment, as the doctor meets it."""

from typing import Any

from tests.support.doubles.aws_account import ACCOUNT, CALLER, Answer, AwsAccount

REGION = "us-east-1"
MACHINES = {name: f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:selfrag-{name}" for name in ("express", "standard")}
OUTPUTS: dict[str, Any] = {
    "endpoint": "https://example",
    "bucket": f"selfrag-documents-{ACCOUNT}-{REGION}",
    "machine_arns": {name: f"{arn}:live" for name, arn in MACHINES.items()},
    "api_key_command": "aws apigateway get-api-key --query value --api-key k1",
}
KEY = "a-key-that-is-not-to-be-seen"


def counted_under(*arns: str) -> dict[str, Any]:
    """Return the metrics of executions that started, by what they count under."""
    named = [[{"Name": "StateMachineArn", "Value": arn}] for arn in arns]
    states = {"Namespace": "AWS/States", "MetricName": "ExecutionsStarted"}
    return {"Metrics": [{**states, "Dimensions": dimensions} for dimensions in named]}


def deployed() -> AwsAccount:
    """Return the account of a deployment."""
    answers: dict[str, Answer] = {
        "sts.GetCallerIdentity": {"Arn": CALLER, "Account": ACCOUNT},
        "apigateway.GetApiKey": {"value": KEY},
        "s3.DeleteObject": {},
        "cloudwatch.ListMetrics": counted_under(*MACHINES.values()),
    }
    return AwsAccount(answers)
