"""A request over HTTP as API Gateway hands it to a Lambda, and the Lambda's reply as a response."""

import base64
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag.runtime.observability import Handler

# No gateway ends a request here, so the function has the time of the longest question.
LAMBDA_SECONDS = MAX_DEADLINE_SECONDS + 5
# Questions take less time here, and a look costs nothing.
LOOK_AGAIN_SECONDS = "1"


@dataclass(frozen=True)
class ProxyRequest:
    """A request that has been read; the names of its headers are in small letters."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes = b""


def proxy_request(request: Request, body: bytes = b"") -> ProxyRequest:
    """Return a request with the body that was read of it."""
    parameters = request.query_params
    query = {name: parameters.getlist(name) for name in parameters}
    return ProxyRequest(request.method, request.scope["path"], query, dict(request.headers.items()), body)


def invoke(handler: Handler, request: ProxyRequest) -> Response:
    """Return the response of a Lambda behind API Gateway (REST, proxy)."""
    reply = handler(_event(request), LocalContext())
    status = int(reply["statusCode"])
    response = Response(str(reply["body"]), status)
    for name, values in reply["multiValueHeaders"].items():
        for value in values:
            response.headers.append(name, value)
    if status < 400 and "Retry-After" in response.headers:
        response.headers["Retry-After"] = LOOK_AGAIN_SECONDS
    return response


def _event(request: ProxyRequest) -> dict[str, Any]:
    try:
        body, encoded = request.body.decode(), False
    except UnicodeDecodeError:
        body, encoded = base64.b64encode(request.body).decode(), True
    return {
        "resource": request.path,
        "path": request.path,
        "httpMethod": request.method,
        "headers": dict(request.headers),
        "multiValueHeaders": {name: [value] for name, value in request.headers.items()},
        "queryStringParameters": {name: values[-1] for name, values in request.query.items()} or None,
        "multiValueQueryStringParameters": dict(request.query) or None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "requestId": str(uuid.uuid4()),
            "path": request.path,
            "stage": "$default",
            "httpMethod": request.method,
            "requestTimeEpoch": int(1000 * time.time()),
            "identity": {"apiKeyId": request.headers.get("x-api-key") or None},
        },
        "body": body or None,
        "isBase64Encoded": encoded,
    }


class LocalContext(SimpleNamespace):
    """The context of a Lambda's run."""

    def __init__(self) -> None:
        ends = time.monotonic() + LAMBDA_SECONDS
        super().__init__(
            function_name="selfrag-ask",
            aws_request_id=str(uuid.uuid4()),
            get_remaining_time_in_millis=lambda: max(0, int(1000 * (ends - time.monotonic()))),
        )
