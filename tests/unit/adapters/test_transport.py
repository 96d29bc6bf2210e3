"""Every client of a model, a decider or another service ends a reply that drips, and reads none that is huge."""

import gzip
from collections.abc import Callable, Iterator
from threading import Event

import anthropic
import httpx2
import pytest
import typesafe_sdk
from werkzeug.wrappers import Request, Response

from selfrag.adapters.chat import ChatModel
from selfrag.adapters.claude.sdk import SdkClaude, exception_for
from selfrag.adapters.decider import decider_client
from selfrag.adapters.outbound import http_client_for, post, unreachable_error
from selfrag.adapters.transport import MAX_REPLY_BYTES
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.runtime.settings import Settings
from tests.support.loopback import Loopback

QUESTION = {"q": {"type": "noul", "instructions": "Is it?", "criteria": {"true": "yes", "false": "no"}}}


def send_chat(url: str, seconds: float) -> object:
    return ChatModel.connect(Settings(model="m", model_url=url), "").post("chat/completions", json={}, timeout=seconds)


def send_decision(url: str, seconds: float) -> object:
    return decider_client(url, "").system_one({}, QUESTION, model="m", timeout=seconds)


def send_message(url: str, seconds: float) -> object:
    client = SdkClaude.connect(Settings(model_base_url=url), "k")
    return client.messages.create(model="m", max_tokens=1, messages=[], timeout=seconds)


def send_search(url: str, seconds: float) -> object:
    return post(http_client_for(url), url, "the service", {}, {}, seconds)


Send = Callable[[str, float], object]
CLIENTS = [send_chat, send_decision, send_message, send_search]
ERRORS = (httpx2.HTTPError, anthropic.APIConnectionError, typesafe_sdk.TypeSafeError, TemporarilyUnavailable)


@pytest.mark.parametrize("send", CLIENTS)
@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
def test_a_reply_that_drips_ends_with_the_time_of_its_request(send: Send, content_type: str) -> None:
    ended = Event()

    def drip() -> Iterator[bytes]:
        for _ in range(400):
            if ended.wait(0.01):
                return
            yield b" "
        yield b"{}"

    with Loopback(lambda request: Response(drip(), content_type=content_type)) as server:
        with pytest.raises(ERRORS, match="time"):
            send(server.url, 0.2)
        ended.set()


@pytest.mark.parametrize("send", CLIENTS)
@pytest.mark.parametrize("encoding", ["", "gzip", "br"])
def test_no_more_is_read_of_a_reply_than_its_limit(send: Send, encoding: str) -> None:
    body = b" " * (MAX_REPLY_BYTES + 1) + b"{}"
    headers = {"content-encoding": encoding} if encoding else {}

    def respond(request: Request) -> Response:
        assert request.headers["accept-encoding"] == "identity"
        content = gzip.compress(body, 1) if encoding == "gzip" else body
        return Response(content, headers=headers, content_type="application/json")

    with Loopback(respond) as server, pytest.raises(ERRORS) as raised:
        send(server.url, 20.0)
    error = raised.value
    if isinstance(error, anthropic.APIConnectionError):
        error = exception_for(error, "m", server.url, 0.0)
    elif not isinstance(error, TemporarilyUnavailable):
        error = unreachable_error(error, server.url)
    assert "sent a reply larger than 8 MB, which is not read" in str(error)


def test_a_small_compressed_reply_is_read() -> None:
    body = Response(gzip.compress(b'{"a": 1}'), headers={"content-encoding": "gzip"}, content_type="application/json")
    with Loopback(lambda request: body) as server:
        assert post(http_client_for(server.url), server.url, "the service", {}, {}, 5.0).json() == {"a": 1}
