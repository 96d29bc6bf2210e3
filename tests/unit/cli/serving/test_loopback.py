"""The server behind every loopback URL: what it keeps of a connection, and what it does not wait for."""

import http.client
import socket
from collections.abc import Iterator

import pytest
from werkzeug.wrappers import Request, Response

from cli.local.loopback import Loopback
from selfrag.domain.errors import Misconfigured


def echo(request: Request) -> Response:
    """Say what came; of /unread nothing of the body is read, and /gone is hung up on."""
    if request.path == "/gone":
        raise ConnectionAbortedError
    body = b"" if request.path == "/unread" else request.get_data()
    return Response(f"{request.method} {request.path} {len(body)}")


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(echo) as running:
        yield running


@pytest.fixture
def sent(server: Loopback) -> Iterator[socket.socket]:
    """A connection that fails rather than wait: what is asked for on it has to come."""
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=10) as connection:
        yield connection


def reply(connection: socket.socket) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response


def test_one_connection_takes_many_requests_whatever_the_app_reads_of_them(sent: socket.socket) -> None:
    for path, read in (("/a", 5), ("/unread", 0), ("/b", 5)):
        sent.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /" % path.encode())
        assert reply(sent).read() == f"POST {path} {read}".encode()


@pytest.mark.parametrize("asked", [b"Keep-Alive", b"te, keep-alive", b"TE\r\nConnection: keep-alive"])
def test_a_client_of_http_1_0_that_asks_for_it_keeps_its_connection_and_is_told(
    sent: socket.socket, asked: bytes
) -> None:
    for _ in range(2):
        sent.sendall(b"GET /a HTTP/1.0\r\nConnection: %s\r\n\r\n" % asked)
        answered = reply(sent)
        assert (answered.headers["connection"], answered.read()) == ("keep-alive", b"GET /a 0")
    sent.sendall(b"GET /b HTTP/1.0\r\n\r\n")
    answered = reply(sent)
    assert (answered.headers["connection"], answered.read()) == ("close", b"GET /b 0")
    assert sent.recv(1) == b""


@pytest.mark.parametrize("asked", [b"close", b"Keep-Alive, Close"])
def test_a_connection_that_is_to_be_closed_is_closed_whatever_else_is_asked_for(
    sent: socket.socket, asked: bytes
) -> None:
    sent.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: %s\r\n\r\n" % asked)
    answered = reply(sent)
    assert (answered.headers["connection"], answered.read()) == ("close", b"GET /a 0")
    assert sent.recv(1) == b""


def test_head_has_the_length_of_the_body_and_no_body(sent: socket.socket) -> None:
    sent.sendall(b"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" * 2)
    sent.shutdown(socket.SHUT_WR)
    *heads, rest = sent.makefile("rb").read().split(b"\r\n\r\n")
    assert ([b"Content-Length: 9" in head for head in heads], rest) == ([True, True], b"")


def test_chunks_are_read(sent: socket.socket) -> None:
    sent.sendall(b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    assert reply(sent).read() == b"POST /a 5"


def test_whoever_announces_a_large_body_is_told_to_send_it(sent: socket.socket) -> None:
    sent.sendall(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    assert sent.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    sent.sendall(b"abcde")
    assert reply(sent).read() == b"POST /a 5"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"nonsense\r\n\r\n", 400),
        (b"GET http://[::1/ HTTP/1.1\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"GET /a\r\n\r\n", 400),
        (b"GET /a HTTP/0.9\r\nHost: x\r\n\r\n", 400),
        (b"G(T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        (b"GET /a HTTP/1.1\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (
            b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (b"POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ],
    ids=[
        "long", "nonsense", "address", "cut", "chunks", "headers", "header", "old", "older", "method", "version",
        "no host", "hosts", "blank", "negative", "lengths", "length and chunks", "old chunks", "coding",
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_and_its_connection_closed(
    sent: socket.socket, request_: bytes, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    sent.sendall(request_)
    sent.shutdown(socket.SHUT_WR)
    answered = reply(sent)
    assert (answered.status, answered.headers["connection"]) == (status, "close")
    assert answered.read()
    assert sent.recv(1) == b""
    assert capfd.readouterr() == ("", "")


def test_an_app_can_hang_up_and_nothing_is_printed(sent: socket.socket, capfd: pytest.CaptureFixture[str]) -> None:
    sent.sendall(b"GET /gone HTTP/1.1\r\nHost: x\r\n\r\n")
    assert sent.recv(1) == b""
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_refused_at_once_and_free_again_after_the_block() -> None:
    with Loopback(echo) as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(Misconfigured, match=f"Port {port} cannot be used: Address already in use"):
            Loopback(echo, port)
    with Loopback(echo, port) as server:
        assert server.url.endswith(f":{port}")
