"""Requests and replies over HTTP, as API Gateway hands them to the deployed function."""

import base64
import time
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from starlette.requests import Request
from starlette.responses import Response

from selfrag.api.app import make_app, make_handler
from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag.runtime.observability import Handler

# No gateway ends a request here, so the function has the time of the longest question.
LAMBDA_SECONDS = MAX_DEADLINE_SECONDS + 5
# Questions take less time here, and a look costs nothing.
LOOK_AGAIN_SECONDS = "1"


def response_of(status: int, headers: Mapping[str, list[str]], body: str) -> Response:
    """Return the response of a Lambda's reply behind API Gateway (REST, proxy)."""
    response = Response(body, status)
    for name, values in headers.items():
        for value in values:
            response.headers.append(name, value)
    if status < 400 and "Retry-After" in response.headers:
        response.headers["Retry-After"] = LOOK_AGAIN_SECONDS
    return response


def event_of(request: Request, content: bytes) -> Any:
    """Return a request, with the body that was read of it, as API Gateway sends it to a Lambda."""
    path, parameters = request.scope["path"], request.query_params
    query = {name: parameters.getlist(name) for name in parameters}
    headers = {name: ", ".join(request.headers.getlist(name)) for name in request.headers}
    try:
        body, encoded = content.decode(), False
    except UnicodeDecodeError:
        body, encoded = base64.b64encode(content).decode(), True
    return {
        "resource": path,
        "path": path,
        "httpMethod": request.method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": dict(parameters) or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "requestId": str(uuid.uuid4()),
            "path": path,
            "stage": "$default",
            "httpMethod": request.method,
            "requestTimeEpoch": int(1000 * time.time()),
            "identity": {"apiKeyId": headers.get("x-api-key") or None},
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


@dataclass(frozen=True)
class _Invocation:
    """The request that a thread answers, as Powertools has it."""

    event: Any = None
    lambda_context: Any = None
    context: dict[str, object] = field(default_factory=dict)


_of_thread: ContextVar[_Invocation] = ContextVar("of_thread", default=_Invocation())  # noqa: B039 (it is frozen)


def threaded_handler() -> Handler:
    """Return the deployed handler, for a server that has many requests at a time."""
    app = make_app(PerThread)
    for route in (*app._static_routes, *app._dynamic_routes):
        # Powertools does it at a route's first request, and two at once break the route for good.
        route._build_middleware_stack(app._router_middlewares, app)
    return make_handler(app)


class PerThread(APIGatewayRestResolver):
    """Powertools keeps the request at hand on a class, since a Lambda has one at a time; a server has many."""

    current_event: Any = property(lambda self: _of_thread.get().event)
    lambda_context: Any = property(lambda self: _of_thread.get().lambda_context)
    context: Any = property(lambda self: _of_thread.get().context, lambda self, value: None)

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        """Answer one request with this thread's state."""
        _of_thread.set(_Invocation(self._to_proxy_event(event), context))
        return super().resolve(event, context)
