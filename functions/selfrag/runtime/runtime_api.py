"""Lambda's Runtime API for a function that streams replies, which Python's managed runtime does not.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
"""

import http.client
import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

_INVOCATION = "/2018-06-01/runtime/invocation"
_STREAMING = {"Lambda-Runtime-Function-Response-Mode": "streaming", "Transfer-Encoding": "chunked"}


@dataclass(frozen=True)
class Invocation:
    """An event to answer; Lambda ends the function at `ends`, in seconds since the epoch."""

    request_id: str
    ends: float
    event: dict[str, Any]


class RuntimeApi:
    """The Runtime API at an address, HOST:PORT, which Lambda gives in `AWS_LAMBDA_RUNTIME_API`."""

    def __init__(self, address: str) -> None:
        self._address = address

    def next(self) -> Invocation:
        """Wait for the next event; Lambda freezes the process meanwhile."""
        # So this waits without a limit.
        with closing(http.client.HTTPConnection(self._address)) as connection:
            connection.request("GET", f"{_INVOCATION}/next")
            reply = connection.getresponse()
            request_id = reply.headers["Lambda-Runtime-Aws-Request-Id"]
            ends = int(reply.headers["Lambda-Runtime-Deadline-Ms"]) / 1000
            return Invocation(request_id, ends, json.loads(reply.read()))

    def stream(self, invocation: Invocation, content_type: str, parts: Iterable[bytes]) -> None:
        """Send a reply, each part as soon as there is one; raises OSError or HTTPException once nobody takes it."""
        with closing(http.client.HTTPConnection(self._address)) as connection:
            path = f"{_INVOCATION}/{invocation.request_id}/response"
            headers = {**_STREAMING, "Content-Type": content_type}
            connection.request("POST", path, parts, headers, encode_chunked=True)
            connection.getresponse().read()
