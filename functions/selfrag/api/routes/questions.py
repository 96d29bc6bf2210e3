"""The routes of questions: ask and wait, ask and come back, look."""

import time
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Path, Query

from selfrag.api import lifecycle
from selfrag.api.edge import links
from selfrag.api.edge.exchange import JSON, caller, event_of, place_of, problems, reply, request_path, shows
from selfrag.api.edge.gateway_event import EVENT_STREAM, accepts_events
from selfrag.api.edge.problems import RETRY_AFTER, no_such_question
from selfrag.api.lifecycle import Arrival
from selfrag.api.logic import AcceptedQuestion, UnfinishedQuestion
from selfrag.domain.answers import AnswerResponse
from selfrag.domain.base import Model
from selfrag.domain.questions import AskRequest

router = Router()  # type: ignore[no-untyped-call]

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern=r"^[\x21-\x7e]*$",
        description="Repeats with the same key, for 24 hours, are the same question.",
    ),
]
Trace = Annotated[bool, Query(description="Whether to show the progress of a running question, if it is available.")]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,80}$", description="The question's id.")]


class DeletedQuestion(Model):
    """A question that is deleted, and a sentence for each thing of it that is retained elsewhere."""

    id: str
    retained: list[str]


def _accepted_response(description: str) -> Any:
    """Return the reply that accepts a question, for the description of the API."""
    headers = {**links.LOCATION, **links.RETRY_AFTER}
    return shows(description, AcceptedQuestion, headers=headers, links=links.TO_QUESTION)


@router.post(
    "/v1/ask",
    operation_id="ask",
    summary="Ask, and wait for the answer",
    description="Answers within 29 seconds; what takes longer comes back as `partial`, with what was not checked. "
    "With `Accept: text/event-stream` it takes as long as POST /v1/questions, and sends server-sent events: `question` "
    "(as the body of 202), a `pass` as each ends (as in `passes` of a question at work), and at last `answer` (the "
    "response) or `error` (a problem). A deployment without `stream_events` then accepts the question with 202.",
    responses={
        200: {
            "description": "The response",
            "content": {JSON: {"model": AnswerResponse}, EVENT_STREAM: {"schema": {"type": "string"}}},
            "links": links.TO_QUESTION,
        },
        202: _accepted_response("Still at work: look at Location"),
        **problems(400, 403, 404, 409, 413, 415, 429, 503),
    },
)
def ask(request: Request, body: Annotated[AskRequest, Body()], key: Key = "") -> Response[Any]:
    """Run the question on the Express machine, or start it on the Standard machine, which shows its passes."""
    arrival = arrival_of(request, key)
    if accepts_events(event_of(request)):
        return accepted(request, lifecycle.start(body, arrival))
    question_id, response = lifecycle.answer(body, arrival)
    return accepted(request, question_id) if response is None else reply(HTTPStatus.OK, response)


@router.post(
    "/v1/questions",
    operation_id="start_question",
    summary="Ask, and fetch the answer later",
    responses={
        202: _accepted_response("Taken on: look at Location"),
        **problems(400, 403, 404, 409, 413, 415, 429, 503),
    },
)
def start_question(request: Request, body: Annotated[AskRequest, Body()], key: Key = "") -> Response[Any]:
    """Start the question on the Standard machine."""
    return accepted(request, lifecycle.start(body, arrival_of(request, key)))


@router.get(
    "/v1/questions/<question_id>",
    operation_id="show_question",
    summary="The response, or whether the question is at work",
    description="A reply of a question at work says in `Retry-After` when to look again.",
    responses={
        200: shows(
            "The response of a finished question, or how far one without a response is",
            AnswerResponse | UnfinishedQuestion,
            headers=links.RETRY_AFTER,
            links=links.TO_QUESTION,
        ),
        **problems(400, 403, 404, 429, 503),
    },
)
def show_question(request: Request, question_id: Id, trace: Trace = False) -> Response[Any]:
    """Return the response, or the status of an unfinished question."""
    question = lifecycle.get_question(question_id, caller(request, "ask"), trace)
    if question is None:
        raise no_such_question()
    return reply(HTTPStatus.OK, question, RETRY_AFTER if question["status"] == "running" else None)


@router.delete(
    "/v1/questions/<question_id>",
    operation_id="delete_question",
    summary="Delete a question",
    description="Deletes its answer, the feedback on it and the record of its request. The reply says what the "
    "services behind it retain, and for how long.",
    responses={200: shows("It is deleted", DeletedQuestion), **problems(400, 403, 404, 409, 429, 503)},
)
def delete_question(request: Request, question_id: Id) -> Response[Any]:
    """Delete a question that the caller may read."""
    retained = lifecycle.delete(question_id, caller(request, "ask"))
    if retained is None:
        raise no_such_question()
    return reply(HTTPStatus.OK, DeletedQuestion(id=question_id, retained=list(retained)).model_dump())


def arrival_of(request: Request, key: str) -> Arrival:
    """Return a request to ask without its body."""
    arrived = event_of(request).get("requestContext", {}).get("requestTimeEpoch", 1000 * time.time())
    return Arrival(
        path=request_path(request),
        caller=caller(request, "ask"),
        key=key,
        at=arrived / 1000,
        context=request.context["lambda_context"],
    )


def accepted(request: Request, question_id: str) -> Response[Any]:
    """Return the reply that accepts a question."""
    body = AcceptedQuestion(id=question_id).model_dump()
    place = place_of(request, f"/v1/questions/{question_id}")
    return reply(HTTPStatus.ACCEPTED, body, {"Location": place, **RETRY_AFTER})
