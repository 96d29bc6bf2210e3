"""Server-sent events of a question: its progress as soon as it changes, and its response at last (pure).

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
import re
from http import HTTPStatus
from typing import Any

from selfrag.api.edge.problems import ProblemError

PATH = re.compile(r"/v1/questions/[A-Za-z0-9_-]{1,80}(?=/events$)")
# What keeps a connection open that has nothing to tell.
HEARTBEAT = ": at work\n\n"
# After so many milliseconds a client that was cut off comes again.
AGAIN = "retry: 1000\n\n"
# The id of what nothing follows.
LAST = "end"
HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
_TAKEN = {"Allow": "GET, HEAD, OPTIONS"}


class EventCursor:
    """The events of a question that a listener has had; `last_id` is the id of the last one, empty before the first."""

    def __init__(self, last_id: str) -> None:
        self.last_id = last_id

    @property
    def is_over(self) -> bool:
        """Return whether nothing follows."""
        return self.last_id == LAST

    def new(self, status: int, body: str) -> str:
        """Return the event of what the API says of the question now; empty if the listener knows it."""
        name, mark = _named(status, body)
        if mark == self.last_id or (not mark and self.last_id):
            return ""
        self.last_id = mark
        return f"event: {name}\nid: {mark}\ndata: {body}\n\n"


def without_a_stream(method: str, last_id: str) -> dict[str, str] | None:
    """Return the headers of a 204 for a request that nothing is streamed to, None for a listener; raises ProblemError.

    `last_id` is the request's `Last-Event-ID`. The standard's own client asks no more after a 204.
    """
    if method == "OPTIONS":
        return _TAKEN
    if method not in ("GET", "HEAD"):
        detail = "This path takes GET, HEAD and OPTIONS only."
        raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, detail, "Listen with GET.", _TAKEN)
    return {} if last_id == LAST else None


def _named(status: int, body: str) -> tuple[str, str]:
    """Return the name of an event, and an id that is another one as soon as there is more to tell.

    The id is empty where the progress is not known, as while Step Functions is busy: what was told is not taken back.
    """
    if status != HTTPStatus.OK:  # what was the caller's is not any more, or cannot be read now
        return "problem", LAST
    question: dict[str, Any] = json.loads(body)
    if question["status"] != "running":
        return "failed" if "usage" not in question else "response", LAST
    if question["trace"] is None:
        return "progress", ""
    steps = question["trace"]
    counts = len(steps), sum(step["finished"] for step in steps), sum(step["attempts"] for step in steps)
    return "progress", "-".join(map(str, counts))
