"""Events of a question: its id, each pass as it ends, and its response or a problem at last; no encoding of them."""

import json
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Literal, NamedTuple

from selfrag.api.edge.problems import ProblemError, respond

# A view of the question, as GET /v1/questions/{id}?trace=true replies: its status code, and the JSON of its body.
Look = Callable[[], tuple[int, dict[str, Any]]]
# Returns as soon as the question of this id may have changed; False if no time is left.
Wait = Callable[[str], bool]

# Replies that say nothing of the question.
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class Event(NamedTuple):
    """An event; `answer` and `error` are the last one of a question."""

    name: Literal["question", "pass", "answer", "error"]
    data: Mapping[str, Any]


def question_events(accepted: Mapping[str, Any], look: Look, wait: Wait, request_id: str) -> Iterator[Event | None]:
    """Yield the events of an accepted question, None after each look that showed nothing new.

    A pass has no text of the answer, which comes only when it is final. The events end without one if `wait` has no
    time left.
    """
    yield Event("question", accepted)
    count = 0
    while True:
        status, view = look()
        if status != HTTPStatus.OK and status not in _BUSY:
            yield Event("error", view)
            return
        # Running passes are left out; a view without progress has none.
        passes = [each for each in view.get("passes") or [] if each["steps"] and each.get("seconds", 0) is not None]
        yield from (Event("pass", ended) for ended in passes[count:])
        if status == HTTPStatus.OK and view["status"] != "running":
            yield Event("answer", view) if "usage" in view else Event("error", _no_answer(request_id))
            return
        if len(passes) <= count:
            yield None
        count = max(count, len(passes))
        if not wait(accepted["id"]):
            return


def _no_answer(request_id: str) -> dict[str, Any]:
    """Return the problem of a question whose execution ended without a response."""
    detail, hint = "The question ended without an answer.", "Ask again; tell the operator its id if it stays so."
    problem = ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, detail, hint)
    return dict(json.loads(str(respond(problem, request_id).body)))
