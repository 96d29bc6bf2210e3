"""A request and a response of the local server, for what answers before the API does."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from typing import Protocol

from ask.problems import ProblemRaised, respond


@dataclass(frozen=True)
class Incoming:
    """A request as it arrives; the path is without its query.

    `read` gives the body; of one that has more bytes than it is given, one byte more.
    """

    method: str
    path: str
    headers: Message
    read: Callable[[int], bytes]


@dataclass(frozen=True)
class Reply:
    """A response of the server."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def forbidden(detail: str, hint: str) -> Reply:
    """A refusal as the API words it: a problem with status 403."""
    request_id = str(uuid.uuid4())
    told = respond(ProblemRaised(HTTPStatus.FORBIDDEN, detail, hint), request_id)
    headers = [("Content-Type", str(told.content_type)), ("X-Request-Id", request_id)]
    return Reply(HTTPStatus.FORBIDDEN, headers, str(told.body).encode())


class First(Protocol):
    """What may answer a request before the API sees it."""

    def began(self, url: str) -> None:
        """Called once, with the server's URL, before any request comes."""

    def reply(self, incoming: Incoming) -> Reply | None:
        """The response, or None if the API is to answer; then nothing of the body may be read."""
