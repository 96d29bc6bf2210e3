"""Lambda's Runtime API on loopback, and API Gateway behind it, which reads a streamed reply as it comes."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any, Self

_NULS = bytes(8)
_INVOCATION = "/2018-06-01/runtime/invocation/"
# A test's maximum wait, in seconds.
PATIENCE = 30
END = b""


@dataclass
class Streamed:
    """A reply that is under way: the headers of its request to the Runtime API, and its chunks as they come."""

    event: dict[str, Any]
    ends: float
    sent: Queue[dict[str, str]] = field(default_factory=Queue)
    chunks: Queue[bytes] = field(default_factory=Queue)
    hung_up: bool = False

    def head(self) -> dict[str, Any]:
        """Return the status and the headers: the first chunk up to the eight NULs."""
        told, nuls, self._rest = self.chunks.get(timeout=PATIENCE).partition(_NULS)
        assert nuls == _NULS
        head: dict[str, Any] = json.loads(told)
        return head

    def body(self) -> Iterator[str]:
        """Yield each part of the body as it arrives."""
        if self._rest:
            yield self._rest.decode()
        while (chunk := self.chunks.get(timeout=PATIENCE)) != END:
            yield chunk.decode()


class RuntimeApiDouble:
    """A context manager: inside it, the Runtime API of one copy of a function answers at `address` (HOST:PORT)."""

    def __init__(self) -> None:
        self._awaited: Queue[Streamed] = Queue()
        self._begun: dict[str, Streamed] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self.address = f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def invoke(self, event: dict[str, Any], seconds: float = 60.0) -> Streamed:
        """Hand an event to the function, which Lambda ends after these seconds."""
        streamed = Streamed(event, time.time() + seconds)
        self._awaited.put(streamed)
        return streamed

    def next(self) -> tuple[str, Streamed]:
        """Return the next event with its id, when there is one."""
        streamed = self._awaited.get()
        request_id = f"lambda-{len(self._begun)}"
        self._begun[request_id] = streamed
        return request_id, streamed

    def begun(self, request_id: str) -> Streamed:
        """Return the reply to an event that was handed out."""
        return self._begun[request_id]


def _handler_of(double: RuntimeApiDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            assert self.path == f"{_INVOCATION}next"
            request_id, streamed = double.next()
            body = json.dumps(streamed.event).encode()
            self.send_response(200)
            self.send_header("Lambda-Runtime-Aws-Request-Id", request_id)
            self.send_header("Lambda-Runtime-Deadline-Ms", str(int(1000 * streamed.ends)))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            request_id, _, kind = self.path.removeprefix(_INVOCATION).partition("/")
            assert kind == "response"
            streamed = double.begun(request_id)
            streamed.sent.put({name.lower(): value for name, value in self.headers.items()})
            while size := int(self.rfile.readline(), 16):
                if streamed.hung_up:
                    self.close_connection = True
                    self.connection.close()
                    break
                streamed.chunks.put(self.rfile.read(size))
                self.rfile.readline()
            else:
                self.rfile.readline()
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()
            streamed.chunks.put(END)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler
