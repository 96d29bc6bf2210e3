"""HTTP limits of the server: malformed requests, large requests, and slow clients."""

import http.client
import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.serving import gateway
from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.http import listening
from tests.support.serving import problem


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Say what came."""
    body = f"{event['httpMethod']} {event['path']} {len(event['body'] or '')}"
    return {"statusCode": 200, "body": body, "multiValueHeaders": {"Retry-After": ["5"]}}


@pytest.fixture
def url() -> Iterator[str]:
    with serving(0, lambda name, seen, seconds: None, handler=handler) as found:
        yield found


@pytest.fixture
def sent(url: str) -> Iterator[socket.socket]:
    """Yield a connection with a timeout, so that a missing reply fails."""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=20) as connection:
        yield connection


def reply(connection: socket.socket) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response


def read_problem(connection: socket.socket, status: int) -> dict[str, Any]:
    response = reply(connection)
    return problem(httpx2.Response(response.status, headers=response.getheaders(), content=response.read()), status)


def test_one_connection_takes_many_requests(sent: socket.socket) -> None:
    for path in (b"/a", b"/b"):
        sent.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nGET /" % path)
        assert reply(sent).read() == b"POST %s 5" % path


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\na: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
    ids=["long", "headers"],
)
def test_a_head_that_is_too_long_is_a_problem(sent: socket.socket, request_: bytes, status: int) -> None:
    sent.sendall(request_)
    assert read_problem(sent, status)["hint"]


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\na: " + b"x" * 200_000,
        b"nonsense\r\n\r\n",
        b"GET /a HTTP/1.1\r\n\r\n",
        b"POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    ],
    ids=["endless", "nonsense", "no host", "negative"],
)
def test_malformed_request_is_refused_without_output(
    sent: socket.socket, request_: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    sent.sendall(request_)
    assert reply(sent).status == 400
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("accepted", "encoding"), [("gzip, br", "gzip"), ("identity", None)])
def test_a_large_reply_is_compressed_for_a_client_that_accepts_gzip(
    url: str, accepted: str, encoding: str | None
) -> None:
    for path, expected in (("x" * gateway.COMPRESSED_FROM_BYTES, encoding), ("short", None)):
        response = httpx2.get(f"{url}/{path}", headers={"accept-encoding": accepted})
        assert response.headers.get("content-encoding") == expected
        assert response.text == f"GET /{path} 0"


def test_oversized_content_length_is_refused_before_body(sent: socket.socket) -> None:
    sent.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
    assert "99,999,999,999 bytes" in read_problem(sent, 413)["detail"]


def test_missing_body_times_out_and_closes_connection(sent: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODY_SECONDS", 0.05)
    sent.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nG")
    assert "did not come" in read_problem(sent, 408)["detail"]
    assert sent.recv(1) == b""


def test_clients_that_take_their_time_keep_nobody_waiting(url: str) -> None:
    port = int(url.rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    for half, connection in enumerate(slow):
        body = b"POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nG"
        connection.sendall(body if half % 2 else body[:20])
    assert httpx2.get(f"{url}/b").text == "GET /b 0"
    for connection in slow:
        connection.close()


def test_a_client_that_has_to_look_again_may_do_so_soon(url: str) -> None:
    assert httpx2.get(f"{url}/v1/questions/a").headers["retry-after"] == "1"


def test_taken_port_is_refused_and_released_after_the_block() -> None:
    with serving(0, lambda name, seen, seconds: None, handler=handler) as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(Misconfigured, match=f"Port {port} cannot be used: Address already in use"):
            listening(port)
    with listening(port):
        pass
