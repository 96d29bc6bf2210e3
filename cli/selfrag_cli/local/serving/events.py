"""Replies of the laptop's server: whole, or a question's events as soon as its execution has changed."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from selfrag.api.streaming.relay import relay
from selfrag.runtime.observability import Handler
from selfrag_cli.local.serving.invocation import LocalContext, event_of, response_of
from selfrag_cli.local.serving.threads import in_thread

# A disconnected client is only noticed when something is sent.
HEARTBEAT_SECONDS = 5.0
# How long a reader of a stream may take none of it.
STALL_SECONDS = 30
# Steps that end together are sent together.
GAP_SECONDS = 0.05
# The longest pause between polls of a question that runs in another process.
MAX_PAUSE_SECONDS = 2.0

# The number of events of a question's execution, as soon as they are more than so many or so many seconds are over.
Watch = Callable[[str, int, float], int | None]


async def answer(handler: Handler, request: Request, body: bytes, watch: Watch) -> Response:
    """Return the handler's response, or a stream of the question that it accepted, if the client takes events."""
    seen, pause = 0, GAP_SECONDS

    def wait(question_id: str) -> bool:
        nonlocal seen, pause
        count = watch(question_id, seen, HEARTBEAT_SECONDS)
        if count is None:
            time.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE_SECONDS)
        elif count > seen:
            seen = count
            time.sleep(GAP_SECONDS)
        return True

    reply = await in_thread(relay, lambda event: handler(dict(event), LocalContext()), event_of(request, body), wait)
    if isinstance(reply.body, str):
        return response_of(reply.status, reply.headers, reply.body)
    return _Stream(_parts(reply.body), headers={name: values[0] for name, values in reply.headers.items()})


async def _parts(body: Iterator[str]) -> AsyncIterator[str]:
    while part := await in_thread(next, body, ""):
        yield part


class _Stream(StreamingResponse):
    """A stream whose client is cut off if it takes nothing for too long."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(STALL_SECONDS):
                await send(message)

        await super().__call__(scope, receive, send_in_time)
