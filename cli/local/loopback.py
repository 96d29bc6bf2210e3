"""An HTTP server for this machine only: it runs an app, keeps its connections, and prints nothing."""

from collections.abc import Callable
from http import HTTPStatus
from threading import Thread
from types import TracebackType
from typing import Any, Self

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from cli.local.connection import Connection
from cli.local.port import HOST, listening

_POLL_SECONDS = 0.02

App = Callable[[Request], Response]
Refuse = Callable[[HTTPStatus], Response]


class Loopback:
    """A context manager: inside it, `app` answers at `url`, with a thread for each connection.

    An app that raises ConnectionError hangs up. `refuse` answers what the app is never asked, because it is no HTTP,
    or because its body cannot be read. Raises OSError if the port is taken; 0 is a free one.
    """

    def __init__(
        self, app: App, port: int = 0, refuse: Refuse = lambda status: Response(status.phrase, status)
    ) -> None:
        self.app, self.refuse = app, refuse
        behind: Any = self  # werkzeug hands it to the handler, and does not look at it
        with listening(port) as bound:
            self._server = make_server(HOST, port, behind, threaded=True, request_handler=Connection, fd=bound.fileno())
        self.url = f"http://{HOST}:{self._server.port}"
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    def __enter__(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop, and free the port."""
        self._server.shutdown()
        self._thread.join()
