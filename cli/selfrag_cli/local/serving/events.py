"""Streams of the laptop's server: a question's events, as soon as its execution has changed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus

from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from selfrag.api.edge.problems import RETRY_AFTER, ProblemError
from selfrag.api.streaming.events import AGAIN, HEADERS, HEARTBEAT, PATH, EventCursor, without_a_stream
from selfrag.runtime.observability import Handler
from selfrag_cli.local.serving.invocation import ProxyRequest, invoke
from selfrag_cli.local.serving.threads import in_thread

# Each takes a thread.
MOST_STREAMS = 64
# A client that is gone is noticed as something is sent.
HEARTBEAT_SECONDS = 5.0
# How long a reader of a stream may take none of it.
STALL_SECONDS = 30
# Steps that end together are sent together.
GAP_SECONDS = 0.05
# The pauses between looks while there are no events, such as before a question begins.
LEAST_SECONDS, MOST_SECONDS = 0.05, 2.0

# How many events a question's execution has had, as soon as they are more than so many or so many seconds are over.
Watch = Callable[[str, int, float], int | None]


class Streams:
    """The streams of a server: `handler` is called again after each change that `watch` reports."""

    def __init__(self, handler: Handler, watch: Watch, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self._handler, self._watch, self._heartbeat_seconds = handler, watch, heartbeat_seconds
        self.open_streams = 0

    async def open(self, request: ProxyRequest) -> Response:
        """Return a stream of a question, or the refusal that its caller gets for it; raises ProblemError."""
        last_event_id = request.headers.get("last-event-id", "")
        headers = without_a_stream(request.method, last_event_id)
        if headers is not None:
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)
        first = await self._look(request)
        if first.status_code != HTTPStatus.OK:
            return first
        if request.method == "HEAD":
            return StreamingResponse((), headers=HEADERS)
        if self.open_streams == MOST_STREAMS:
            detail = f"{MOST_STREAMS} questions are followed at this moment."
            hint = "Look at GET /v1/questions/{id}?trace=true."
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, hint, RETRY_AFTER)
        self.open_streams += 1
        return _Stream(self, self._events(request, last_event_id))

    async def _events(self, request: ProxyRequest, last_event_id: str) -> AsyncIterator[str]:
        seen, pause, telling = 0, LEAST_SECONDS, EventCursor(last_event_id)
        question_id = request.path.split("/")[3]
        yield AGAIN
        while True:
            view = await self._look(request)
            if event := telling.new(view.status_code, bytes(view.body).decode()):
                yield event
            if telling.is_over:
                return
            happened = await in_thread(self._watch, question_id, seen, self._heartbeat_seconds)
            if happened is None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, MOST_SECONDS)
            elif happened > seen:
                seen, pause = happened, LEAST_SECONDS
                await asyncio.sleep(GAP_SECONDS)
                continue
            yield HEARTBEAT

    async def _look(self, request: ProxyRequest) -> Response:
        """Return what the API says of the question now."""
        match = PATH.match(request.path)
        headers = {name: value for name, value in request.headers.items() if name != "accept-encoding"}
        look = ProxyRequest("GET", match[0] if match else "", {"trace": ["true"]}, headers)
        return await in_thread(invoke, self._handler, look)


class _Stream(StreamingResponse):
    """A stream that counts until its client is gone, or takes nothing for too long."""

    def __init__(self, streams: Streams, content: AsyncIterator[str]) -> None:
        super().__init__(content, headers=HEADERS)
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(STALL_SECONDS):
                await send(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        finally:
            self._streams.open_streams -= 1
