"""A request over HTTP as API Gateway hands it to a Lambda, and the Lambda's reply as a response."""

import base64
import gzip
import time
import uuid
from types import SimpleNamespace
from typing import Any

from werkzeug.wrappers import Request, Response

from ask.edge.body import MAX_BODY_BYTES
from selfrag.runtime.observability import Handler

LAMBDA_SECONDS = 29
# As `minimum_compression_size` of infra/api.tf; a test compares.
COMPRESSED_FROM_BYTES = 1024


def invoke(handler: Handler, request: Request) -> Response:
    """The response of a Lambda behind API Gateway (REST, proxy) to a request: compressed if large, for who takes that.

    As there, only a client that names `gzip` gets it, and not one that takes anything (`*`).
    """
    replied = handler(_event(request), _Context())
    headers = [(name, value) for name, values in replied["multiValueHeaders"].items() for value in values]
    body = str(replied["body"]).encode()
    if len(body) >= COMPRESSED_FROM_BYTES and any(
        name == "gzip" and quality for name, quality in request.accept_encodings
    ):
        body = gzip.compress(body, mtime=0)
        headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
    return Response(body, replied["statusCode"], headers)


def _event(request: Request) -> dict[str, Any]:
    query, headers = request.args.to_dict(flat=False), dict(request.headers.items())
    # Of a body that is too large no more than what shows that it is.
    raw = request.stream.read(MAX_BODY_BYTES + 1)
    try:
        body, encoded = raw.decode(), False
    except UnicodeDecodeError:
        body, encoded = base64.b64encode(raw).decode(), True
    return {
        "resource": request.path,
        "path": request.path,
        "httpMethod": request.method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
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


class _Context(SimpleNamespace):
    """What a Lambda knows of its own run."""

    def __init__(self) -> None:
        ends = time.monotonic() + LAMBDA_SECONDS
        super().__init__(
            function_name="selfrag-ask",
            aws_request_id=str(uuid.uuid4()),
            get_remaining_time_in_millis=lambda: max(0, int(1000 * (ends - time.monotonic()))),
        )
