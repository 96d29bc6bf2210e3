"""`selfrag smoke` over real HTTP: the page, three questions, and the events of one where they are streamed."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from rich.console import Console
from werkzeug import Request, Response

from selfrag_cli.smoke import QUESTIONS, smoke
from tests.e2e.test_api import api, model  # noqa: F401 (fixtures)
from tests.support.loopback import Loopback


def smoked(url: str) -> tuple[bool, str]:
    out = io.StringIO()
    return smoke(Console(file=out), url, "ours"), out.getvalue()


@contextmanager
def in_front_of(api: httpx2.Client, status: int, body: str) -> Iterator[str]:  # noqa: F811
    """Yield the URL of the API, but for events, which get this reply."""

    def replied(request: Request) -> Response:
        if request.path.endswith("/events"):
            return Response(body, status, content_type="text/event-stream" if status == 200 else "application/json")
        sent = {name: value for name, value in request.headers.items() if name.lower() in ("content-type", "x-api-key")}
        reply = api.request(request.method, request.path, content=request.get_data(), headers=sent)
        kept = {name: value for name, value in reply.headers.items() if name in ("content-type", "location")}
        kept |= {name: value for name, value in reply.headers.items() if name == "content-security-policy"}
        return Response(reply.content, reply.status_code, headers=kept)

    with Loopback(replied) as loopback:
        yield loopback.url


def test_the_events_of_a_question_are_heard_to_their_end(api: httpx2.Client) -> None:  # noqa: F811
    well, said = smoked(str(api.base_url))
    assert well
    assert all(question in said for question in QUESTIONS)
    assert "to their end" in said.split("The events of a question")[1]


@pytest.mark.parametrize("status", [404, 501])
def test_where_nothing_streams_nothing_is_said_of_events(api: httpx2.Client, status: int) -> None:  # noqa: F811
    with in_front_of(api, status, "{}") as url:
        well, said = smoked(url)
    assert (well, "events" in said) == (True, False)


def test_a_stream_that_breaks_off_is_told(api: httpx2.Client) -> None:  # noqa: F811
    with in_front_of(api, 200, "event: progress\nid: 1\ndata: {}\n\n") as url:
        well, said = smoked(url)
    assert (well, "but their end did not come" in said) == (False, True)
