"""The account of a deployment, as the doctor meets it."""

from typing import Any

from tests.support.doubles.aws_account import ACCOUNT, CALLER, Answer, AwsAccount

REGION = "us-east-1"
OUTPUTS: dict[str, Any] = {
    "endpoint": "https://example",
    "tables": {"documents": "selfrag-documents"},
    "bucket": f"selfrag-documents-{ACCOUNT}-{REGION}",
    "api_key_command": "aws apigateway get-api-key --query value --api-key k1",
}
KEY = "a-key-that-is-not-to-be-seen"


def deployed() -> AwsAccount:
    """Return the account of a deployment."""
    answers: dict[str, Answer] = {
        "sts.GetCallerIdentity": {"Arn": CALLER, "Account": ACCOUNT},
        "apigateway.GetApiKey": {"value": KEY},
        "s3.DeleteObject": {},
        "dynamodb.Query": {"Items": []},
    }
    return AwsAccount(answers)
