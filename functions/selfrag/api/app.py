"""The API as a Powertools app: its routes, and the problems that errors become."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, cast

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from selfrag.api.edge.body import model_of
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.methods import methods_of
from selfrag.api.edge.problems import ProblemError, noted, respond
from selfrag.api.routes import description, documents, feedback, page, questions
from selfrag.domain.errors import InvalidInput
from selfrag.domain.validation import explain_errors


def make_app(resolver: type[APIGatewayRestResolver] = APIGatewayRestResolver) -> APIGatewayRestResolver:
    """Return the app with all its routes; `resolver` keeps the current request."""
    app = resolver(enable_validation=True)

    def hand_over(app: APIGatewayRestResolver, next_middleware: Callable[..., Any]) -> Any:
        app.context.update(lambda_context=app.lambda_context)
        return next_middleware(app)

    app.use([hand_over])

    def to_response(error: Exception) -> Response[Any]:
        return _to_problem(error, cast(GatewayEvent, app.current_event.raw_event), app.lambda_context)

    app.exception_handler(Exception)(to_response)
    for router in (documents.router, questions.router, feedback.router, description.router, page.router):
        app.include_router(router)
    return app


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
        error = _nowhere(() if event["httpMethod"] in methods else methods)
    return respond(noted(error), request_id(event, context))


def _nowhere(methods: Sequence[str]) -> ProblemError:
    hint = "Look at GET /v1/openapi.json."
    if methods:
        detail = f"This path takes {', '.join(methods[:-1])} and {methods[-1]} only."
        return ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, detail, hint, {"Allow": ", ".join(methods)})
    return ProblemError(HTTPStatus.NOT_FOUND, "There is nothing here.", hint)
