"""The local AWS for another process: an address at which its calls are made here, in the name of a caller."""

import json
from datetime import datetime
from typing import Any

import boto3
from botocore.exceptions import ClientError
from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback
from tests.support.roles.recorded import as_caller

# By the service that a header of AWS's own protocol names.
_SERVICES = {"DynamoDB_20120810": "dynamodb", "AWSStepFunctions": "stepfunctions"}


def aws_elsewhere(who: str) -> Loopback:
    """Return a server of DynamoDB and Step Functions, whose calls are made by `who`."""
    clients = {name: boto3.client(service) for name, service in _SERVICES.items()}

    def answer(called: dict[str, Any], context: Any) -> Any:
        return clients[called["service"]]._make_api_call(called["operation"], called["parameters"])

    call = as_caller(who, answer)

    def app(request: Request) -> Response:
        service, _, operation = request.headers["X-Amz-Target"].partition(".")
        called = {"service": service, "operation": operation, "parameters": json.loads(request.get_data())}
        try:
            reply, status = call(called, None), 200
        except ClientError as error:
            told = error.response["Error"]
            reply, status = {"__type": told["Code"], "message": told["Message"]}, 400
        reply.pop("ResponseMetadata", None)
        text = json.dumps(reply, default=datetime.timestamp)
        return Response(text, status, content_type="application/x-amz-json-1.0")

    return Loopback(app)
