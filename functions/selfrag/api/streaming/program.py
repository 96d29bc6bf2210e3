"""The program of the function `stream`: answers one request after another, part by part.

Lambda starts it by wrapper.sh in the place of its own runtime for Python, which streams no reply. API Gateway reads a
streamed reply as https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html says.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from typing import cast

from aws_lambda_powertools.event_handler import Response

from selfrag import bootstrap
from selfrag.api import lifecycle
from selfrag.api.edge.callers import caller_of
from selfrag.api.edge.cors import SECURITY_HEADERS, shown_in_reply
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import no_such_question, noted, respond
from selfrag.api.streaming.events import AGAIN, HEADERS, HEARTBEAT, PATH, EventCursor, without_a_stream
from selfrag.bootstrap import api
from selfrag.runtime.clock import Clock
from selfrag.runtime.observability import logger
from selfrag.runtime.runtime_api import RuntimeApi
from selfrag.runtime.settings import CallerSettings, read
from selfrag.text.json_text import dump_json

CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"
# Ends the status and the headers.
DELIMITER = bytes(8)
# So long before Lambda would end the function, its stream is over.
MARGIN_SECONDS = 5.0
# Nothing wakes a function as a step ends, so it looks; an account may ask Step Functions some 15 times a second.
LOOK_SECONDS = 2.0


@dataclass(frozen=True)
class StreamReply:
    """A reply over HTTP, whose body comes part by part."""

    status: int
    headers: dict[str, str]
    body: Iterable[str]


def reply_to(event: GatewayEvent, ends: float, clock: Clock, origins: Collection[str] = ()) -> StreamReply:
    """Return the stream that a request of API Gateway (REST, Lambda proxy) gets, or its refusal.

    A stream is over with its question, or at `ends` (seconds since the epoch); its client then comes again. Pages of
    these `origins` may listen.
    """
    try:
        reply = _listened(event, ends, clock)
    except Exception as error:
        refused = _refusal(event, error)
        problem_headers = {name: str(value) for name, value in refused.headers.items()}
        headers = {"Content-Type": str(refused.content_type), **problem_headers}
        reply = StreamReply(refused.status_code, headers, [str(refused.body)])
    shown = shown_in_reply(event, reply.headers.get("Allow", ""), origins)
    return StreamReply(
        reply.status, {**reply.headers, **SECURITY_HEADERS, **shown, "X-Request-Id": _request_id(event)}, reply.body
    )


def _listened(event: GatewayEvent, ends: float, clock: Clock) -> StreamReply:
    sent = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    last_id = sent.get("last-event-id", "")
    headers = without_a_stream(event["httpMethod"], last_id)
    if headers is not None:
        return StreamReply(HTTPStatus.NO_CONTENT, headers, ())
    first = _look(event)
    if event["httpMethod"] == "HEAD":
        return StreamReply(HTTPStatus.OK, HEADERS, ())
    return StreamReply(
        HTTPStatus.OK, HEADERS, _events(first, partial(_looked, event), EventCursor(last_id), ends, clock)
    )


def _events(
    view: tuple[int, str], look: Callable[[], tuple[int, str]], cursor: EventCursor, ends: float, clock: Clock
) -> Iterator[str]:
    yield AGAIN
    while True:
        yield cursor.new(*view) or HEARTBEAT
        if cursor.is_over or clock.now() + LOOK_SECONDS > ends:
            return
        clock.sleep(LOOK_SECONDS)
        view = look()


def _look(event: GatewayEvent) -> tuple[int, str]:
    """Return what `GET /v1/questions/{id}?trace=true` says to the caller now; raises what that refuses with."""
    caller = caller_of(event, api.bindings(), "ask")
    path = PATH.match(event["path"])
    question = lifecycle.look(path[0].rpartition("/")[2], caller, trace=True) if path else None
    if question is None:
        raise no_such_question()
    return HTTPStatus.OK, dump_json(question)


def _looked(event: GatewayEvent) -> tuple[int, str]:
    """Return what a listener hears, a refusal, too."""
    try:
        return _look(event)
    except Exception as error:
        refused = _refusal(event, error)
        return refused.status_code, str(refused.body)


def _refusal(event: GatewayEvent, error: Exception) -> Response[str]:
    return respond(noted(error), _request_id(event))


def _request_id(event: GatewayEvent) -> str:
    return str(event["requestContext"]["requestId"])


def parts_of(reply: StreamReply) -> Iterator[bytes]:
    """Yield a reply as API Gateway reads it: the JSON of its status and headers, a delimiter, and its body."""
    yield json.dumps({"statusCode": reply.status, "headers": reply.headers}).encode() + DELIMITER
    for part in reply.body:
        yield part.encode()


def main() -> None:
    """Answer what comes until Lambda ends the process."""
    logger.append_keys(step="stream", question="")
    runtime, clock, origins = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"]), Clock(), read(CallerSettings).origins
    bootstrap.warm(api.executions, api.bindings)
    while True:
        invocation = runtime.next()
        reply = reply_to(cast(GatewayEvent, invocation.event), invocation.ends - MARGIN_SECONDS, clock, origins)
        try:
            runtime.stream(invocation, CONTENT_TYPE, parts_of(reply))
        except (OSError, HTTPException) as error:  # its client may be gone
            logger.warning("stream broken off", extra={"error": type(error).__name__})
        logger.info("done", extra={"status": reply.status})


if __name__ == "__main__":
    main()
