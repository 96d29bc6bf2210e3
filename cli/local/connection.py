"""A connection of an HTTP server for this machine: requests are read, answered by an app, and their rest dropped."""

import select
import socket
import sys
from contextlib import closing, suppress
from http import HTTPStatus
from typing import Any

from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler
from werkzeug.wrappers import Request, Response
from werkzeug.wsgi import LimitedStream

from cli.local.heads import is_kept, refusal_of

LINGER_SECONDS = 1
# How long a reader of a stream may take none of it.
STALL_SECONDS = 30
_CHUNK = 1 << 16


class Connection(WSGIRequestHandler):
    """Answers the requests of a connection; werkzeug's own handler closes it after each, and waits 10 ms before."""

    protocol_version = "HTTP/1.1"
    # Head and body leave together: two packets would wait for each other.
    wbufsize = -1
    disable_nagle_algorithm = True

    def parse_request(self) -> bool:
        """Read the head of a request; false if it was refused."""
        if not super().parse_request():
            return False
        if status := refusal_of(self.requestline, self.request_version, self.headers):
            self.send_error(status)
            return False
        self.close_connection = not is_kept(self.request_version, self.headers)
        return True

    def run_wsgi(self) -> None:
        """Answer one request, of any method."""
        try:
            self.environ = self.make_environ()
        except ValueError:
            return self.send_error(HTTPStatus.BAD_REQUEST)
        # Chunks may leave something behind that would be taken for the next request.
        length = self.environ.get("CONTENT_LENGTH", "0")
        self.close_connection |= "HTTP_TRANSFER_ENCODING" in self.environ
        if "wsgi.input_terminated" in self.environ:  # chunks that cannot be read are a client that is gone
            self.environ["wsgi.input"] = LimitedStream(self.environ["wsgi.input"], sys.maxsize, is_max=True)
        request = Request(self.environ)
        try:
            response = self._owner.app(request)
        except HTTPException as error:
            self.close_connection = True
            response = self._owner.refuse(HTTPStatus(error.code or HTTPStatus.BAD_REQUEST))
        self._send(response)
        if length != "0" or self.close_connection:
            self._drop_rest(request)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, and close the connection."""
        self.close_connection, self.request_version = True, self.protocol_version
        self._send(self._owner.refuse(HTTPStatus(code)))

    def handle_expect_100(self) -> bool:
        """Say at once that a large body may come: its sender waits for it."""
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def finish(self) -> None:
        """Let a client that is still sending read its response: to close at once could take it away."""
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(LINGER_SECONDS)
            while self.connection.recv(_CHUNK):
                pass
        super().finish()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Print nothing: a question is in nobody's terminal but its asker's."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Print nothing."""

    @property
    def _owner(self) -> Any:
        return self.server.app

    def _send(self, response: Response) -> None:
        self.send_response(response.status_code)
        for name, value in response.get_wsgi_headers({}):
            self.send_header(name, value)
        # HTTP/1.0 waits for the end of the connection unless it is told; so does whoever is not told a length.
        self.close_connection |= response.is_streamed
        self.send_header("Connection", "close" if self.close_connection else "keep-alive")
        self.end_headers()
        with closing(response):
            if response.is_streamed:
                self.connection.settimeout(STALL_SECONDS)
            for part in response.iter_encoded() if self.command != "HEAD" else ():
                # Whoever listens to a stream says nothing: what can be read is the end.
                if response.is_streamed and select.select([self.connection], [], [], 0)[0]:
                    return
                self.wfile.write(part)
                self.wfile.flush()
            self.wfile.flush()

    def _drop_rest(self, request: Request) -> None:
        """Read what the app did not: it is no request, and its sender may read no response before it is sent."""
        try:
            self.connection.settimeout(LINGER_SECONDS)
            while request.stream.read(_CHUNK):
                pass
            self.connection.settimeout(None)
        except (OSError, HTTPException):
            self.close_connection = True
