"""The Lambda of the HTTP API: the routes of questions, and what every request goes through."""

import time
import traceback
from http import HTTPStatus
from pathlib import Path as File
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Path

from ask import questions
from ask.app import JSON, app, caller, place_of, problems, reply, request, request_path
from ask.body import checked, model_of
from ask.documents import routes  # noqa: F401  (it adds its routes to the app)
from ask.logic import Started, Unfinished
from ask.problems import ProblemRaised, as_problem, respond
from ask.questions import Arrival
from selfrag.domain import answers as responses
from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import AskRequest
from selfrag.domain.refusals import explain_errors
from selfrag.runtime.metrics import count_step
from selfrag.runtime.observability import logger

DESCRIPTION = File(__file__).with_name("openapi.json")

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern=r"^[\x21-\x7e]*$",
        description="Repeats with the same key, for 24 hours, are the same question.",
    ),
]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,80}$", description="The id that the question was given.")]


@app.post(
    "/v1/ask",
    operation_id="ask",
    summary="Ask, and wait for the answer",
    description="Answers within 29 seconds; what takes longer comes back as `partial`, with what was not checked.",
    responses={
        200: {"description": "The response", "content": {JSON: {"model": responses.Response}}},
        202: {"description": "Still at work: look at Location", "content": {JSON: {"model": Started}}},
        **problems(400, 403, 404, 409, 413, 429, 503),
    },
)
def ask(body: Annotated[AskRequest, Body()], key: Key = "") -> Response[Any]:
    """Run the question on the Express machine."""
    arrival = _arrival(key)
    question_id, response = questions.answer(body, arrival)
    return _accepted(question_id) if response is None else reply(HTTPStatus.OK, response)


@app.post(
    "/v1/questions",
    operation_id="start_question",
    summary="Ask, and fetch the answer later",
    responses={
        202: {"description": "Taken on: look at Location", "content": {JSON: {"model": Started}}},
        **problems(400, 403, 404, 409, 413, 429, 503),
    },
)
def start_question(body: Annotated[AskRequest, Body()], key: Key = "") -> Response[Any]:
    """Start the question on the Standard machine."""
    return _accepted(questions.start(body, _arrival(key)))


@app.get(
    "/v1/questions/<question_id>",
    operation_id="show_question",
    summary="The response, or the trace so far",
    responses={
        200: {
            "description": "The response of a finished question, or how far it is",
            "content": {JSON: {"model": responses.Response | Unfinished}},
        },
        **problems(400, 403, 404, 429, 503),
    },
)
def show_question(question_id: Id) -> Response[Any]:
    """Show the response, or how far the question is."""
    found = questions.look(question_id, caller())
    if found is None:
        raise ProblemRaised(
            HTTPStatus.NOT_FOUND,
            "There is no such question.",
            "Answers are kept for 30 days, and a question asked by POST /v1/ask is found when it is finished.",
        )
    return reply(HTTPStatus.OK, found)


@app.get(
    "/v1/health",
    operation_id="health",
    summary="Whether the API answers",
    security=[{}],
    responses={200: {"description": "It does"}},
)
def health() -> Response[Any]:
    """Say that the API answers; it calls nothing."""
    return reply(HTTPStatus.OK, {"status": "ok"})


@app.get(
    "/v1/openapi.json",
    operation_id="describe",
    summary="This description",
    security=[{}],
    responses={200: {"description": "OpenAPI 3.1"}},
)
def describe() -> Response[Any]:
    """The description of this API, which a test keeps true."""
    return Response(HTTPStatus.OK.value, JSON, DESCRIPTION.read_text(encoding="utf-8"))


def _as_reply(error: Exception) -> Response[Any]:
    """Every error is a problem; of one that nobody foresaw, only the log has the name."""
    if isinstance(error, RequestValidationError):
        error = InvalidInput(explain_errors(error.errors(), model_of(app.current_event.path)))
    elif isinstance(error, NotFoundError):
        error = ProblemRaised(HTTPStatus.NOT_FOUND, "There is nothing here.", "Look at GET /v1/openapi.json.")
    problem = as_problem(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # The name and the place, and not the message: it may repeat what the caller sent.
        logger.error("failed", extra={"error": type(error).__name__, "at": _place(error)})
    return respond(problem, _request_id(request(), app.lambda_context))


app.exception_handler(Exception)(_as_reply)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request of API Gateway (REST, Lambda proxy)."""
    logger.append_keys(step="ask", question="")
    started, request_id = time.monotonic(), _request_id(event, context)
    try:
        replied = app.resolve(checked(event), context)
    except ProblemRaised as problem:
        refused = respond(problem, request_id)
        headers = {"Content-Type": [refused.content_type or JSON]}
        replied = {"statusCode": refused.status_code, "body": refused.body, "multiValueHeaders": headers}
    replied["multiValueHeaders"]["X-Request-Id"] = [request_id]
    logger.info("done", extra={"status": replied["statusCode"]})
    count_step("ask", 1000 * (time.monotonic() - started), failed=replied["statusCode"] >= 500)
    return replied


def _arrival(key: str) -> Arrival:
    arrived = request().get("requestContext", {}).get("requestTimeEpoch", 1000 * time.time())
    return Arrival(path=request_path(), caller=caller(), key=key, at=arrived / 1000, context=app.lambda_context)


def _accepted(question_id: str) -> Response[Any]:
    body = Started(id=question_id).model_dump()
    return reply(HTTPStatus.ACCEPTED, body, place_of(f"/v1/questions/{question_id}"))


def _request_id(event: dict[str, Any], context: Any) -> str:
    return str(event.get("requestContext", {}).get("requestId") or context.aws_request_id)


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{File(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
