"""HTTP transport with a timeout and size limit for the whole reply.

httpx2's timeouts apply to each read, so a slowly dripping reply would never end. Here a request's timeout covers
everything from the connection to the last byte.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2

# A reply with the longest answer that a model may write has a fiftieth of it.
MAX_REPLY_BYTES = 8_000_000
# As httpx2 keeps connections.
_KEEPALIVE_SECONDS = 5.0
# The decoders whose output is at most a thousand times their input; other encodings are not decoded.
_DECODED = ("", "identity", "gzip", "deflate")

_BODY_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


class ReplyTooLarge(httpx2.ReadError):
    """A reply is larger than the client reads."""


class Transport(httpx2.HTTPTransport):
    """httpx2's transport with a clock for each request, by the proxy at an address if there is one.

    A reply larger than MAX_REPLY_BYTES, decoded, is not read. Raises ImportError or ValueError for an unusable proxy.
    """

    def __init__(self, proxy: str = "") -> None:
        # A thread reads the reply to its request whole before it sends another.
        self._thread = threading.local()
        by = httpx2.Proxy(proxy) if proxy else None
        if by and by.url.scheme.startswith("socks"):
            import_module("socksio")
        # Its constructor has no argument for the network backend.
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            proxy=httpcore2.Proxy(str(by.url), by.raw_auth, by.headers.raw, by.ssl_context) if by else None,
            max_connections=None,
            keepalive_expiry=_KEEPALIVE_SECONDS,
            network_backend=_TimedBackend(httpcore2.SyncBackend(), self._left),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the reply to a request."""
        seconds = request.extensions.get("timeout", {}).get("read")
        self._thread.ends_at = None if seconds is None else time.monotonic() + seconds
        request.headers["accept-encoding"] = "identity"
        reply = super().handle_request(request)
        headers = [item for item in reply.headers.multi_items() if item[0] not in _BODY_HEADERS]
        body = _BoundedBody(reply)
        return httpx2.Response(reply.status_code, headers=headers, stream=body, extensions=reply.extensions)

    def _left(self, timeout: float | None) -> float | None:
        """Limit a timeout to the remaining time; raises TimeoutException if none is left."""
        if self._thread.ends_at is None:
            return timeout
        left: float = self._thread.ends_at - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the reply was not complete in time")
        return left if timeout is None else min(timeout, left)


class _BoundedBody(httpx2.SyncByteStream):
    """The decoded body of a reply."""

    def __init__(self, reply: httpx2.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        size, encoding = 0, self._reply.headers.get("content-encoding", "").strip().lower()
        for part in self._reply.iter_bytes() if encoding in _DECODED else self._reply.iter_raw():
            size += len(part)
            if size > MAX_REPLY_BYTES:
                raise ReplyTooLarge(f"sent a reply larger than {MAX_REPLY_BYTES / 1_000_000:g} MB, which is not read")
            yield part

    def close(self) -> None:
        self._reply.close()


class _TimedBackend(httpcore2.NetworkBackend):
    """Connects with timeouts by `left`."""

    def __init__(self, backend: httpcore2.NetworkBackend, left: Callable[[float | None], float | None]) -> None:
        self._backend, self._left = backend, left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = self._backend.connect_tcp(host, port, self._left(timeout), local_address, socket_options)
        return _TimedStream(stream, self._left)


class _TimedStream(httpcore2.NetworkStream):
    """A connection on which every wait ends with the request's time."""

    def __init__(self, stream: httpcore2.NetworkStream, left: Callable[[float | None], float | None]) -> None:
        self._stream, self._left = stream, left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, self._left(timeout)), self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
