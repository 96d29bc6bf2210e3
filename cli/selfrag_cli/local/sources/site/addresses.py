"""Canonical addresses of web pages."""

import re
from urllib.parse import quote, urlsplit, urlunsplit

from selfrag.domain.errors import InvalidInput

_PORTS = {"http": 80, "https": 443}
_ADDRESS_LIKE = re.compile(r"https?:/|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# Delimiters and percent-encoded characters stay unchanged.
_UNQUOTED = "%/:=&?~+!$,;'@()*[]"


def is_address(name: str) -> bool:
    """Return whether a source name is an address, not a path."""
    return _ADDRESS_LIKE.match(name) is not None


def canonical(address: str) -> str:
    """Return an address without fragment and default port, percent-encoded.

    Raises InvalidInput for invalid addresses and those with a password, which would be stored.
    """
    try:
        parts = urlsplit(address.strip())
        port, host = parts.port, parts.hostname or ""
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError as error:  # an unclosed bracket, a non-numeric port, a host label of 64 letters
        raise InvalidInput(f"{address} is no address of a page: {error}.") from error
    if parts.scheme not in _PORTS:
        raise InvalidInput(f"{address} cannot be read: use an address that begins with https:// or http://.")
    if "@" in parts.netloc:
        raise InvalidInput("Leave the name and the password out of the address: they would be kept with its pages.")
    if not host:
        raise InvalidInput(f"{address} names no host: use an address such as https://example.com/handbook/.")
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port in (None, _PORTS[parts.scheme]) else f"{shown}:{port}"
    path, query = (quote(part, safe=_UNQUOTED) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, netloc, path or "/", query, ""))


def same_site(first: str, second: str) -> bool:
    """Return whether two addresses share a host and port; http and https at default ports are the same."""
    parts, others = urlsplit(first), urlsplit(second)
    # Canonical addresses omit default ports.
    return (parts.hostname, parts.port) == (others.hostname, others.port)
