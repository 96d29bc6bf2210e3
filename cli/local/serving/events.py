"""How far a question is, told as soon as that changes, and its response at last: server-sent events.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from werkzeug.wrappers import Request, Response

from ask.edge.problems import RETRY_AFTER, ProblemRaised
from cli.local.serving.invocation import invoke
from selfrag.runtime.observability import Handler

PATH = re.compile(r"/v1/questions/[A-Za-z0-9_-]{1,80}(?=/events$)")
# Each takes a thread here, and one in the process that runs its question.
MOST_STREAMS = 64
# A client that is gone is noticed as something is sent.
HEARTBEAT_SECONDS = 5.0
HEARTBEAT = ": at work\n\n"
# After so many milliseconds a client that was cut off comes again.
AGAIN = "retry: 1000\n\n"
# Steps that end together are told together.
GAP_SECONDS = 0.05
# How long it may take to look again at what nobody tells of, such as a question that is not begun yet.
LEAST_SECONDS, MOST_SECONDS = 0.05, 2.0
# The id of what nothing follows.
LAST = "end"
HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

# How many events a question's execution has had, as soon as they are more than so many or so many seconds are over.
Watch = Callable[[str, int, float], int | None]


@contextmanager
def streaming(handler: Handler, watch: Watch, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> Iterator["Streams"]:
    """Streams that end with the block."""
    streams = Streams(handler, watch, heartbeat_seconds)
    try:
        yield streams
    finally:
        streams.end()


class Streams:
    """The streams of a server: what `handler` says to the same caller is asked anew as `watch` tells of a change."""

    def __init__(self, handler: Handler, watch: Watch, heartbeat_seconds: float) -> None:
        self._handler, self._watch, self._heartbeat_seconds = handler, watch, heartbeat_seconds
        self._lock, self._ended = threading.Lock(), threading.Event()
        self.open_streams = 0

    def end(self) -> None:
        """Let each stream end as soon as it has nothing more to tell."""
        self._ended.set()

    def open(self, request: Request) -> Response:
        """A stream of a question, or the refusal that its caller gets for the question; raises ProblemRaised."""
        if request.method not in ("GET", "HEAD"):
            detail = "This path takes GET only."
            raise ProblemRaised(HTTPStatus.METHOD_NOT_ALLOWED, detail, "Listen with GET.", {"Allow": "GET"})
        told = request.headers.get("Last-Event-ID", "")
        if told == LAST:  # by which the standard's own client asks no more
            return Response(status=HTTPStatus.NO_CONTENT)
        first = self._look(request)
        if first.status_code != HTTPStatus.OK:
            return first
        self._count(1)
        response = Response(self._events(request, told), HTTPStatus.OK, HEADERS)
        response.call_on_close(lambda: self._count(-1))
        return response

    def _count(self, more: int) -> None:
        with self._lock:
            if more > 0 and self.open_streams == MOST_STREAMS:
                detail = f"{MOST_STREAMS} questions are followed at this moment."
                hint = "Look at GET /v1/questions/{id}?trace=true."
                raise ProblemRaised(HTTPStatus.SERVICE_UNAVAILABLE, detail, hint, RETRY_AFTER)
            self.open_streams += more

    def _events(self, request: Request, told: str) -> Iterator[str]:
        seen, pause = 0, LEAST_SECONDS
        question_id = request.path.split("/")[3]
        yield AGAIN
        while not self._ended.is_set():
            view = self._look(request)
            name, mark = _named(view)
            if mark != told:
                yield f"event: {name}\nid: {mark}\ndata: {view.get_data(as_text=True)}\n\n"
                told = mark
            if mark == LAST:
                return
            happened = self._watch(question_id, seen, self._heartbeat_seconds)
            if happened is None:
                self._ended.wait(pause)
                pause = min(2 * pause, MOST_SECONDS)
            elif happened > seen:
                seen, pause = happened, LEAST_SECONDS
                self._ended.wait(GAP_SECONDS)
                continue
            yield HEARTBEAT

    def _look(self, request: Request) -> Response:
        """What the API says of the question now."""
        found = PATH.match(request.path)
        asked = {"PATH_INFO": found[0] if found else "", "QUERY_STRING": "trace=true", "REQUEST_METHOD": "GET"}
        plain = {"HTTP_ACCEPT_ENCODING": "", "CONTENT_LENGTH": "0", "wsgi.input": io.BytesIO()}
        return invoke(self._handler, Request({**request.environ, **asked, **plain}))


def _named(view: Response) -> tuple[str, str]:
    """The name of an event, and an id that is another one as soon as there is more to tell."""
    if view.status_code != HTTPStatus.OK:  # what was the caller's is not any more, or cannot be read now
        return "problem", LAST
    said: dict[str, Any] = json.loads(view.get_data())
    if said["status"] == "running":
        steps = said["trace"] or []
        counts = len(steps), sum(step["finished"] for step in steps), sum(step["attempts"] for step in steps)
        return "progress", "-".join(map(str, counts))
    return "failed" if "usage" not in said else "response", LAST
