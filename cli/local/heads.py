"""What the head of an HTTP request says of the request as a whole (RFC 9112), where http.server does not look."""

import re
from collections.abc import Iterator
from email.message import Message
from http import HTTPStatus

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LENGTH = re.compile(r"[0-9]{1,18}")


def refusal_of(line: str, version: str, headers: Message) -> HTTPStatus | None:
    """Why a request cannot be answered: 400 or 501; None of one that can be.

    `line` is the request line, `version` that of it. Whose end or whose host two readers might see differently is
    refused (sections 3.2, 5.1, 6.1 and 6.3).
    """
    method, *others = line.split()
    codings, lengths = list(_listed(headers, "transfer-encoding")), headers.get_all("content-length", [])
    # HTTP/0.9, whose request line has two words, knows no status.
    if len(others) < 2 or version.startswith("HTTP/0") or not _METHOD.fullmatch(method) or headers.defects:
        return HTTPStatus.BAD_REQUEST
    hosts = len(headers.get_all("host", []))
    if hosts > 1 or (not hosts and version != "HTTP/1.0"):
        return HTTPStatus.BAD_REQUEST
    if len({*lengths}) > 1 or any(not _LENGTH.fullmatch(length.strip()) for length in lengths):
        return HTTPStatus.BAD_REQUEST
    if codings and (lengths or version == "HTTP/1.0"):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.NOT_IMPLEMENTED if codings not in ([], ["chunked"]) else None


def is_kept(version: str, headers: Message) -> bool:
    """Whether the connection is kept after the request: in HTTP/1.0 only if that is asked for (section 9.3)."""
    options = set(_listed(headers, "connection"))
    return "close" not in options and (version != "HTTP/1.0" or "keep-alive" in options)


def _listed(headers: Message, name: str) -> Iterator[str]:
    for value in headers.get_all(name, []):
        yield from (part.strip().lower() for part in value.split(",") if part.strip())
