"""Connections on which no whole request comes take the server from nobody."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from selfrag_cli.local.serving.http import MAX_CONNECTIONS, answering_http, connections_within, listening
from tests.support.command import ROOT

HALF = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, once it has come whole."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def served(head_seconds: float, most: int) -> Iterator[int]:
    with listening(0) as bound, answering_http(bound, app, head_seconds, most):
        yield bound.getsockname()[1]


def opened(stack: ExitStack, port: int, sent: bytes) -> socket.socket:
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
    connection.sendall(sent)
    return connection


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", HALF])
def test_a_connection_without_a_whole_head_is_closed_in_time(sent: bytes) -> None:
    with served(0.05, 10) as port, ExitStack() as stack:
        assert is_closed(opened(stack, port, sent))
        # So is the second request of a connection.
        again = opened(stack, port, HALF + b"\r\n")
        while not again.recv(1000).endswith(b"ok"):
            pass
        again.sendall(HALF)
        assert is_closed(again)


def test_oldest_incomplete_connection_is_closed_at_the_limit() -> None:
    body = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf"
    with served(60, 3) as port, ExitStack() as stack:
        held = [opened(stack, port, sent) for sent in (body, HALF, b"")]
        for oldest in tuple(held):
            assert httpx2.get(f"http://127.0.0.1:{port}/", timeout=20).text == "ok"
            assert is_closed(oldest)
            held.append(opened(stack, port, HALF))


def test_the_connections_leave_descriptors_for_everything_else() -> None:
    assert [connections_within(descriptors) for descriptors in (256, 1024, 1 << 20, -1)] == [
        85,
        341,
        MAX_CONNECTIONS,
        MAX_CONNECTIONS,
    ]


SERVER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from selfrag_cli.local.serving.http import listening
from selfrag_cli.local.serving.http import answering_http
from tests.unit.cli.serving.test_connections import app
with listening(0) as bound, answering_http(bound, app):
    print(bound.getsockname()[1], flush=True)
    sys.stdin.read()
"""


@pytest.mark.long
def test_a_server_of_256_descriptors_answers_while_400_half_requests_are_held() -> None:
    with (
        subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as process,
        ExitStack() as stack,
    ):
        assert process.stdout is not None
        port = int(process.stdout.readline())
        for _ in range(400):
            opened(stack, port, HALF)
        for _ in range(3):
            assert httpx2.get(f"http://127.0.0.1:{port}/", timeout=20).text == "ok"
        process.communicate(timeout=20)
