"""Server-sent events of a question: its progress as soon as it changes, and its response at last.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from ask.edge.problems import RETRY_AFTER, ProblemRaised
from cli.local.serving.invocation import Asked, invoke
from cli.local.serving.threads import in_thread
from selfrag.runtime.observability import Handler

PATH = re.compile(r"/v1/questions/[A-Za-z0-9_-]{1,80}(?=/events$)")
# Each takes a thread.
MOST_STREAMS = 64
# A client that is gone is noticed as something is sent.
HEARTBEAT_SECONDS = 5.0
# How long a reader of a stream may take none of it.
STALL_SECONDS = 30
HEARTBEAT = ": at work\n\n"
# After so many milliseconds a client that was cut off comes again.
AGAIN = "retry: 1000\n\n"
# Steps that end together are told together.
GAP_SECONDS = 0.05
# How long it may take to look again at what no event tells of, such as a question that is not begun yet.
LEAST_SECONDS, MOST_SECONDS = 0.05, 2.0
# The id of what nothing follows.
LAST = "end"
TAKEN = {"Allow": "GET, HEAD, OPTIONS"}
HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

# How many events a question's execution has had, as soon as they are more than so many or so many seconds are over.
Watch = Callable[[str, int, float], int | None]


class Streams:
    """The streams of a server: what `handler` says to the same caller is asked anew as `watch` tells of a change."""

    def __init__(self, handler: Handler, watch: Watch, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self._handler, self._watch, self._heartbeat_seconds = handler, watch, heartbeat_seconds
        self.open_streams = 0

    async def open(self, asked: Asked) -> Response:
        """Return a stream of a question, or the refusal that its caller gets for it; raises ProblemRaised."""
        if asked.method == "OPTIONS":
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=TAKEN)
        if asked.method not in ("GET", "HEAD"):
            detail = "This path takes GET, HEAD and OPTIONS only."
            raise ProblemRaised(HTTPStatus.METHOD_NOT_ALLOWED, detail, "Listen with GET.", TAKEN)
        told = asked.headers.get("last-event-id", "")
        if told == LAST:  # by which the standard's own client asks no more
            return Response(status_code=HTTPStatus.NO_CONTENT)
        first = await self._look(asked)
        if first.status_code != HTTPStatus.OK:
            return first
        if asked.method == "HEAD":
            return StreamingResponse((), headers=HEADERS)
        if self.open_streams == MOST_STREAMS:
            detail = f"{MOST_STREAMS} questions are followed at this moment."
            hint = "Look at GET /v1/questions/{id}?trace=true."
            raise ProblemRaised(HTTPStatus.SERVICE_UNAVAILABLE, detail, hint, RETRY_AFTER)
        self.open_streams += 1
        return _Stream(self, self._events(asked, told))

    async def _events(self, asked: Asked, told: str) -> AsyncIterator[str]:
        seen, pause = 0, LEAST_SECONDS
        question_id = asked.path.split("/")[3]
        yield AGAIN
        while True:
            view = await self._look(asked)
            name, mark = _named(view)
            if mark != told:
                yield f"event: {name}\nid: {mark}\ndata: {bytes(view.body).decode()}\n\n"
                told = mark
            if mark == LAST:
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

    async def _look(self, asked: Asked) -> Response:
        """Return what the API says of the question now."""
        found = PATH.match(asked.path)
        headers = {name: value for name, value in asked.headers.items() if name != "accept-encoding"}
        look = Asked("GET", found[0] if found else "", {"trace": ["true"]}, headers)
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


def _named(view: Response) -> tuple[str, str]:
    """Return the name of an event, and an id that is another one as soon as there is more to tell."""
    if view.status_code != HTTPStatus.OK:  # what was the caller's is not any more, or cannot be read now
        return "problem", LAST
    said: dict[str, Any] = json.loads(bytes(view.body))
    if said["status"] == "running":
        steps = said["trace"] or []
        counts = len(steps), sum(step["finished"] for step in steps), sum(step["attempts"] for step in steps)
        return "progress", "-".join(map(str, counts))
    return "failed" if "usage" not in said else "response", LAST
