"""An HTTP server for this machine only that takes JSON and gives JSON, and never prints anything."""

import json
import socketserver
from abc import ABC, abstractmethod
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Self

from cli.local.offline.strict import Refused

MAX_BODY_BYTES = 32 * 1024 * 1024


class LoopbackServer(ABC):
    """A context manager: inside it, the server answers at `url`."""

    def __init__(self) -> None:
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start to answer."""
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop, and free the port."""
        self._server.shutdown()
        self._server.server_close()

    @abstractmethod
    def respond(self, path: str, headers: Mapping[str, str], body: Any) -> dict[str, Any]:
        """The reply to a POST of a JSON body; raises Refused."""

    @abstractmethod
    def error(self, refused: Refused) -> dict[str, Any]:
        """The body of an error, in the form of the service."""


class _Server(ThreadingHTTPServer):
    def __init__(self, owner: LoopbackServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's would look the host's name up
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two would wait for each other
    server: _Server

    def do_POST(self) -> None:
        status, reply = 200, {}
        try:
            reply = self.server.owner.respond(self.path.partition("?")[0], self._lowered_headers(), self._json())
        except Refused as refused:
            status, reply = refused.status, self.server.owner.error(refused)
        except Exception as error:  # a bug in a rule must not end in a stack trace on the user's screen
            failed = Refused(f"the rules failed: {type(error).__name__}", 500, "api_error")
            status, reply = failed.status, self.server.owner.error(failed)
        self._send(status, reply)

    def _not_found(self) -> None:
        self._send(404, self.server.owner.error(Refused("Not Found", 404, "not_found_error")))

    do_GET = do_PUT = do_DELETE = do_PATCH = _not_found

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def _lowered_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _json(self) -> Any:
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True  # what was not read would be taken for the next request
            raise Refused("a body with a content-length is required, of 32 MB at most", 413, "request_too_large")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise Refused("the body is not valid JSON") from error

    def _send(self, status: int, reply: dict[str, Any]) -> None:
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
