"""The API as a Powertools app: its routes, the problems that errors become, and the steps of every request."""

import time
from collections.abc import Callable, Collection, Sequence
from http import HTTPStatus
from typing import Any, cast

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from selfrag.api.edge.body import check_body, model_of
from selfrag.api.edge.cors import SECURITY_HEADERS, shown_in_reply
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.methods import methods_of
from selfrag.api.edge.problems import ProblemError, log_problem, respond, to_reply
from selfrag.api.routes import compatible, description, documents, feedback, page, questions
from selfrag.domain.errors import InvalidInput
from selfrag.domain.validation import explain_errors
from selfrag.runtime.metrics import count_step
from selfrag.runtime.observability import KEEP_WARM, Handler, logger

ROUTERS = (documents.router, questions.router, compatible.router, feedback.router, description.router, page.router)


def make_app(
    resolver: type[APIGatewayRestResolver] = APIGatewayRestResolver, routers: Sequence[Router] = ROUTERS
) -> APIGatewayRestResolver:
    """Return the app with the routes of these routers; `resolver` keeps the current request."""
    app = resolver(enable_validation=True)

    def hand_over(app: APIGatewayRestResolver, next_middleware: Callable[..., Any]) -> Any:
        app.context.update(lambda_context=app.lambda_context)
        return next_middleware(app)

    app.use([hand_over])

    def to_response(error: Exception) -> Response[Any]:
        return _to_problem(error, cast(GatewayEvent, app.current_event.raw_event), app.lambda_context)

    app.exception_handler(Exception)(to_response)
    for router in routers:
        app.include_router(router)
    return app


def make_handler(app: APIGatewayRestResolver, origins: Collection[str] = (), step: str = "ask") -> Handler:
    """Return a handler of API Gateway's requests (REST, Lambda proxy); pages of these `origins` may send some.

    `step` names the function in metrics and log.
    """

    def handle(lambda_event: dict[str, Any], context: Any) -> dict[str, Any]:
        if lambda_event.keys() == KEEP_WARM:
            return {}
        event = cast(GatewayEvent, lambda_event)
        logger.append_keys(step=step, question="")
        started = time.monotonic()
        replied = _answer(app, event, context)
        replied["multiValueHeaders"]["X-Request-Id"] = [request_id(event, context)]
        allow = "".join(replied["multiValueHeaders"].get("Allow", []))
        shown = SECURITY_HEADERS | shown_in_reply(event, allow, origins)
        replied["multiValueHeaders"] |= {name: [value] for name, value in shown.items()}
        logger.info("done", extra={"status": replied["statusCode"]})
        count_step(step, 1000 * (time.monotonic() - started), failed=replied["statusCode"] >= 500)
        return replied

    return handle


def _answer(app: APIGatewayRestResolver, event: GatewayEvent, context: Any) -> dict[str, Any]:
    try:
        # HEAD is GET: API Gateway, or the local server, leaves out the body.
        method = "GET" if event["httpMethod"] == "HEAD" else event["httpMethod"]
        return app.resolve(dict(check_body({**event, "httpMethod": method})), context)
    except ProblemError as problem:  # Powertools validates a body before any middleware
        return to_reply(problem, request_id(event, context), event["path"])


def request_id(event: GatewayEvent, context: Any) -> str:
    """Return the id of a request, as its response and the log show it."""
    return str(event.get("requestContext", {}).get("requestId") or context.aws_request_id)


def _to_problem(error: Exception, event: GatewayEvent, context: Any) -> Response[Any]:
    """Return the problem of an error; only the log names an unexpected one."""
    if isinstance(error, RequestValidationError):
        error = InvalidInput(explain_errors(error.errors(), model_of(event["path"])))
    elif isinstance(error, NotFoundError):
        methods = methods_of(event["path"])
        if methods and event["httpMethod"] == "OPTIONS":
            return Response(HTTPStatus.NO_CONTENT.value, body="", headers={"Allow": ", ".join(methods)})
        # An id with characters that no id has matches no route: 404, whatever the method.
        error = _not_found_or_not_allowed(() if event["httpMethod"] in methods else methods)
    return respond(log_problem(error), request_id(event, context), event["path"])


def _not_found_or_not_allowed(methods: Sequence[str]) -> ProblemError:
    hint = "Look at GET /v1/openapi.json."
    if methods:
        detail = f"This path takes {', '.join(methods[:-1])} and {methods[-1]} only."
        return ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, detail, hint, {"Allow": ", ".join(methods)})
    return ProblemError(HTTPStatus.NOT_FOUND, "There is nothing here.", hint)
