"""The HTTP API on loopback: the deployed `ask` function over the local stack, called as API Gateway calls it."""

import base64
import re
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from aws_lambda_powertools.event_handler import APIGatewayRestResolver

import ask.app
import ask.handler
from ask.body import MAX_BODY_BYTES
from cli.local.serving.exchange import First, Incoming, Reply, forbidden
from selfrag import bootstrap

LAMBDA_SECONDS = 29
LINGER_SECONDS = 1
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_CHUNK = 1 << 16
_of_thread: ContextVar[dict[str, Any]] = ContextVar("of_thread")


@contextmanager
def serving(port: int = 0, first: First | None = None) -> Iterator[str]:
    """Answer HTTP on loopback until the block ends; gives the URL. The local stack has to be running."""
    bootstrap.forget()
    ask.app.app.__class__ = _PerThread
    with _Server(port, first) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        if first:
            first.began(url)
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield url
        finally:
            server.shutdown()


class _PerThread(APIGatewayRestResolver):
    """Powertools keeps the request at hand on the class, since a Lambda has one at a time; a server has many."""

    current_event: Any = property(lambda self: _of_thread.get()["current_event"])
    lambda_context: Any = property(lambda self: _of_thread.get()["lambda_context"])
    context: Any = property(lambda self: _of_thread.get()["context"])

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        _of_thread.set({"current_event": self._to_proxy_event(event), "lambda_context": context, "context": {}})
        return super().resolve(event, context)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, first: First | None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.first = first

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two would wait for each other

    server: _Server

    def do_POST(self) -> None:
        first = self.server.first
        # Chunks are not read, and would be taken for the next request.
        self.close_connection |= "transfer-encoding" in self.headers
        incoming = Incoming(self.command, unquote(urlsplit(self.path).path), self.headers, self._whole)
        reply = self._to_strangers() or (first and first.reply(incoming)) or self._from_lambda()
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        if reply.status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    do_GET = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: a question is in nobody's terminal but its asker's."""

    def finish(self) -> None:
        """Let a client that is still sending read its response: to close at once could take it away."""
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(LINGER_SECONDS)
            while self.connection.recv(_CHUNK):
                pass
        super().finish()

    def _to_strangers(self) -> Reply | None:
        """What a page gets whose host name was made to lead here: a browser would let it read the answers."""
        host = self.headers.get("host", LOOPBACK[0]).lower()
        if re.sub(r":\d*$", "", host) in LOOPBACK:
            return None
        self._whole(0)
        return forbidden("This server is asked under the name of this machine only.", "Ask http://127.0.0.1.")

    def _from_lambda(self) -> Reply:
        replied = ask.handler.handler(self._event(), _Context())
        headers = [(name, value) for name, values in replied["multiValueHeaders"].items() for value in values]
        return Reply(replied["statusCode"], headers, str(replied["body"]).encode())

    def _event(self) -> dict[str, Any]:
        """The request as API Gateway hands it to a Lambda (REST, proxy)."""
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query, keep_blank_values=True)
        raw = self._body()
        try:
            body, encoded = raw.decode(), False
        except UnicodeDecodeError:
            body, encoded = base64.b64encode(raw).decode(), True
        return {
            "resource": path,
            "path": path,
            "httpMethod": self.command,
            "headers": dict(self.headers.items()),
            "multiValueHeaders": {name: self.headers.get_all(name) for name in self.headers},
            "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
            "multiValueQueryStringParameters": query or None,
            "pathParameters": None,
            "stageVariables": None,
            "requestContext": {
                "requestId": str(uuid.uuid4()),
                "path": path,
                "stage": "$default",
                "httpMethod": self.command,
                "requestTimeEpoch": int(1000 * time.time()),
                "identity": {"apiKeyId": self.headers.get("x-api-key") or None},
            },
            "body": body or None,
            "isBase64Encoded": encoded,
        }

    def _body(self) -> bytes:
        """The body; of one that is too large no more than what shows that it is."""
        wanted = self._length()
        if wanted > MAX_BODY_BYTES:
            self.close_connection = True
        return self.rfile.read(min(wanted, MAX_BODY_BYTES + 1))

    def _whole(self, most: int) -> bytes:
        """The same for a client that reads no response before all of its file is sent."""
        left = self._length()
        kept = self.rfile.read(min(left, most + 1))
        left -= len(kept)
        while left and (dropped := self.rfile.read(min(left, _CHUNK))):
            left -= len(dropped)
        return kept

    def _length(self) -> int:
        length = self.headers.get("content-length") or "0"
        return int(length) if length.isdecimal() else 0


class _Context(SimpleNamespace):
    """What a Lambda knows of its own run."""

    def __init__(self) -> None:
        ends = time.monotonic() + LAMBDA_SECONDS
        super().__init__(
            function_name="selfrag-ask",
            aws_request_id=str(uuid.uuid4()),
            get_remaining_time_in_millis=lambda: max(0, int(1000 * (ends - time.monotonic()))),
        )
