"""An HTTP server on loopback for the doubles of services: werkzeug's, which moto brings, with kept connections."""

import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, Self

from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response
from werkzeug.wsgi import LimitedStream

from selfrag_cli.local.serving.http import HOST, listening

_POLL_SECONDS = 0.02

App = Callable[[Request], Response]


class Loopback:
    """A context manager: inside it, `app` answers at `url`, with a thread for each connection.

    An app that raises ConnectionError hangs up. Raises Misconfigured if the port is taken; 0 is a free one.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        self.app = app
        behind: Any = self  # werkzeug hands it to the handler, and does not look at it
        with listening(port) as bound:
            self._server = make_server(HOST, port, behind, threaded=True, request_handler=_Kept, fd=bound.fileno())
        self.url = f"http://{HOST}:{self._server.port}"
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._thread.join()


class _Kept(WSGIRequestHandler):
    """Werkzeug's own handler closes a connection after each request, and waits 10 ms before."""

    protocol_version = "HTTP/1.1"
    # Head and body leave together: two packets would wait for each other.
    wbufsize = -1
    disable_nagle_algorithm = True

    def run_wsgi(self) -> None:
        environ = self.make_environ()
        if "wsgi.input_terminated" in environ:
            environ["wsgi.input"] = LimitedStream(environ["wsgi.input"], sys.maxsize, is_max=True)
        request, owner = Request(environ), self.server.app
        try:
            response = owner.app(request)  # type: ignore[attr-defined]
        except HTTPException as error:
            response = Response(status=error.code)
        self.close_connection = response.is_streamed or environ.get("HTTP_CONNECTION") == "close"
        self.send_response(response.status_code)
        for name, value in response.get_wsgi_headers(environ):
            self.send_header(name, value)
        self.send_header("Connection", "close" if self.close_connection else "keep-alive")
        self.end_headers()
        for part in response.iter_encoded() if self.command != "HEAD" else ():
            self.wfile.write(part)
            self.wfile.flush()
        self.wfile.flush()
        with suppress(OSError, HTTPException):
            request.get_data(cache=False)

    def log(self, type: str, message: str, *args: Any) -> None:
        """Print nothing."""
