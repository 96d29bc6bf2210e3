"""Silent HTTP on loopback by uvicorn, in a separate thread."""

import asyncio
import logging
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from selfrag.domain.errors import Misconfigured

HOST = "127.0.0.1"
_QUEUE = 128
# Limit of a request's line and headers; an app may refuse less with a better message.
MAX_HEAD_BYTES = 128 * 1024
# Grace period of running requests when the server ends.
END_SECONDS = 1
# How long the head of a request may take to come, from the connection or the first byte on.
HEAD_SECONDS = 60
MAX_CONNECTIONS = 512


def listening(port: int) -> socket.socket:
    """Return a socket that listens on a port, 0 for any free one; raises Misconfigured if it is taken."""
    bound = socket.socket()
    try:
        # A connection that has just ended does not keep the port.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen(_QUEUE)
    except OSError as error:
        bound.close()
        another = f"choose another one, such as --port {port + 1}, or --port 0 for a free one"
        raise Misconfigured(f"Port {port} cannot be used: {error.strerror}; {another}.") from error
    return bound


def refuse_busy(port: int) -> None:
    """Raise Misconfigured if a server could not listen on a port."""
    listening(port).close()


@contextmanager
def answering_http(
    bound: socket.socket, app: ASGIApp, head_seconds: float = HEAD_SECONDS, most_connections: int = 0
) -> Iterator[None]:
    """Answer requests on a listening socket for the block, then free the port.

    The number of connections is limited, by default by the process's descriptors: an additional one replaces the oldest
    that has sent no complete request.
    """
    most = most_connections or connections_within(resource.getrlimit(resource.RLIMIT_NOFILE)[0])

    class Protocol(_BoundedProtocol):
        limits = head_seconds, most

    config = Config(
        app,
        loop="asyncio",
        http=Protocol,
        # So many are accepted before the first of them is counted.
        backlog=most,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level=logging.CRITICAL + 1,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_graceful_shutdown=END_SECONDS,
    )
    server = Server(config)
    thread = Thread(target=server.run, args=([bound],), name="answering HTTP", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def connections_within(descriptors: int) -> int:
    """Return how many connections leave descriptors for uploads, one each, and for everything else."""
    return MAX_CONNECTIONS if descriptors < 0 else max(1, min(MAX_CONNECTIONS, descriptors // 3))


class _BoundedProtocol(H11Protocol):
    """Uvicorn's HTTP, which waits for no head without an end, and bounds the connections.

    `limits` are the seconds and the number. Uvicorn's own limits answer connections that are too many and keep those
    on which nothing comes.
    """

    limits: tuple[float, int] = (HEAD_SECONDS, MAX_CONNECTIONS)
    _opened_at = 0.0
    _timer: asyncio.TimerHandle | None = None

    @property
    def is_at_work(self) -> bool:
        """Return whether a whole request has come, and its response has not been written."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, in the place of the oldest that waits for a request if there are too many."""
        super().connection_made(transport)
        self._opened_at = self.loop.time()
        self._await_head()
        others = [each for each in self.connections if isinstance(each, _BoundedProtocol) and each is not self]
        others = [each for each in others if not each.transport.is_closing()]
        if len(others) >= self.limits[1]:
            waiting = [each for each in others if not each.is_at_work]
            min(waiting, key=lambda each: each._opened_at, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the head of a request has to be complete in time."""
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._await_head()
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timer()

    def _await_head(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.limits[0], self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
