"""A loopback server that takes JSON and gives JSON, and answers what it refuses in its service's own form."""

import json
from abc import ABC, abstractmethod
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from cli.local.offline.strict import Refused
from cli.local.port import HOST

MAX_BODY_BYTES = 32 * 1024 * 1024
_POLL_SECONDS = 0.02


class JsonServer(ABC):
    """A context manager: inside it, the server answers at `url`, with a thread for each connection."""

    def __init__(self) -> None:
        self._server = _Server(self)
        self.url = f"http://{HOST}:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    def __enter__(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Stop, and free the port."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @abstractmethod
    def respond(self, path: str, headers: Message, body: Any) -> dict[str, Any]:
        """Return the reply to a POST of a JSON body; raises Refused. The names of headers have no case."""

    @abstractmethod
    def error(self, refused: Refused) -> dict[str, Any]:
        """Return the body of an error, in the form of the service."""

    def replied(self, path: str, headers: Message, content: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of the reply to a POST."""
        try:
            return 200, self.respond(path, headers, _read(content))
        except Refused as refused:
            return refused.status, self.error(refused)
        except Exception as error:  # a bug in a rule must not end in a stack trace on the user's screen
            return 500, self.error(Refused(f"the rules failed: {type(error).__name__}", 500, "api_error"))


class _Server(ThreadingHTTPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 128

    def __init__(self, answers: JsonServer) -> None:
        super().__init__((HOST, 0), _Connection)
        self.answers = answers

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: the client is gone."""


class _Connection(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Head and body leave together: two packets would wait for each other.
    wbufsize, disable_nagle_algorithm = -1, True

    def do_POST(self) -> None:
        """Answer a request."""
        length, answers = int(self.headers.get("content-length", -1)), self.server.answers
        path = self.path.partition("?")[0]
        if 0 <= length <= MAX_BODY_BYTES:
            status, reply = answers.replied(path, self.headers, self.rfile.read(length))
        else:
            self.close_connection = True
            large = Refused("a body with a content-length is required, of 32 MB at most", 413, "request_too_large")
            status, reply = large.status, answers.error(large)
        self._send(status, reply)

    def do_GET(self) -> None:
        """Say that there is nothing to be got."""
        self._send(404, self.server.answers.error(Refused("Not Found", 404, "not_found_error")))

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""

    def _send(self, status: int, reply: dict[str, Any]) -> None:
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused("the body is not valid JSON") from error
