"""HTTP on loopback by uvicorn, in a thread of its own, which prints nothing."""

import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import Thread

import h11
from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from ask.edge.problems import ProblemRaised
from cli.local.serving.refusals import problem_response

# What of a request's line and headers is read before it is refused; an app may refuse less with a better sentence.
MAX_HEAD_BYTES = 128 * 1024
# What requests at work may take to end once the server is to end.
END_SECONDS = 1


@contextmanager
def answering_http(bound: socket.socket, app: ASGIApp) -> Iterator[None]:
    """Answer what comes on a listening socket until the block ends, which frees the port."""
    config = Config(
        app,
        loop="asyncio",
        http=_Http,
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


class _Http(H11Protocol):
    """Uvicorn's HTTP, which refuses what is no request by a problem, and answers who has sent all they will."""

    def eof_received(self) -> bool:  # type: ignore[override]
        """Return whether the connection stays open for a response; uvicorn would close it unanswered."""
        cycle = self.cycle
        if cycle is None or cycle.more_body or cycle.response_started:
            return False
        cycle.keep_alive = False
        return True

    def send_400_response(self, msg: str) -> None:
        """Refuse what h11 cannot read, by the status that it names, and close the connection."""
        status = HTTPStatus(getattr(sys.exc_info()[1], "error_status_hint", HTTPStatus.BAD_REQUEST))
        problem = ProblemRaised(status, "What was sent is no request that can be read.", "Send it as HTTP/1.1.")
        told = problem_response(problem)
        headers = [*told.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=status, headers=headers, reason=status.phrase.encode()),
            h11.Data(data=bytes(told.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
