"""The routes of OpenAI's API, for clients that speak it."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from selfrag.api import lifecycle
from selfrag.api.edge.exchange import JSON, caller, event_of, reply
from selfrag.api.edge.gateway_event import EVENT_STREAM
from selfrag.api.edge.problems import ProblemError, title_of
from selfrag.api.openai.calls import call_of, encode, whole_reply
from selfrag.api.openai.models import list_models
from selfrag.api.openai.requests import CompatibleRequest
from selfrag.api.routes.questions import Key, accepted, arrival_of
from selfrag.api.streaming.events import question_events

router = Router()  # type: ignore[no-untyped-call]


_OBJECT = {"schema": {"type": "object"}}
_EVENTS = {EVENT_STREAM: {"schema": {"type": "string"}}}
_ERRORS = (400, 403, 404, 409, 413, 415, 429, 503, 504)


def _replies(description: str, *errors: int, **kinds: Any) -> dict[int, Any]:
    """Return the replies of a route, which OpenAI describes."""
    refused = {status: {"description": title_of(status), "content": {JSON: _OBJECT}} for status in errors}
    return {200: {"description": description, "content": {JSON: _OBJECT, **kinds}}, **refused}


@router.get(
    "/v1/models",
    operation_id="list_models",
    summary="The models of OpenAI's API that the caller may ask",
    responses=_replies("A model for each collection and strategy", 403, 429, 503),
)
def show_models(request: Request) -> Response[Any]:
    """List the models of the caller's collections."""
    return reply(HTTPStatus.OK, list_models(caller(request, "ask").binding.collections))


@router.post(
    "/v1/responses",
    operation_id="create_response",
    summary="Ask by OpenAI's Responses API",
    description="The last message of `input` is the question, earlier ones are its history.",
    responses=_replies("A response, or its events", *_ERRORS, **_EVENTS),
)
@router.post(
    "/v1/chat/completions",
    operation_id="complete_chat",
    summary="Ask by OpenAI's Chat Completions API",
    description="The last message is the question, earlier ones are its history.",
    responses=_replies("A chat completion, or its chunks", *_ERRORS, **_EVENTS),
)
def answer(request: Request, body: Annotated[CompatibleRequest, Body()], key: Key = "") -> Response[Any]:
    """Answer a chat, or a request of the Responses API."""
    event = event_of(request)
    call = call_of(event)
    assert call is not None, "the body was validated"
    question, arrival = call.translation[0], arrival_of(request, key)
    if call.request.stream and event.get("requestContext", {}).get("streamed"):
        return accepted(request, lifecycle.start(question, arrival))
    question_id, response = lifecycle.answer(question, arrival)
    if response is None:
        hint = f"GET /v1/questions/{question_id} shows its answer."
        # Its clients repeat a request by themselves, which would ask the question again.
        raise ProblemError(
            HTTPStatus.GATEWAY_TIMEOUT, "The question is still at work.", hint, {"X-Should-Retry": "false"}
        )
    if not call.request.stream:
        return reply(HTTPStatus.OK, whole_reply(call, response))
    # Return all events at once, because nothing streams here.
    events = question_events({"id": question_id}, lambda: (HTTPStatus.OK, response), lambda question_id: False, "")
    return Response(HTTPStatus.OK.value, EVENT_STREAM, "".join(encode(call, events)))
