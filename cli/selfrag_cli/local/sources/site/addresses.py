"""Addresses of pages in the one form in which they are compared, and the sites that they belong to."""

import re
from contextlib import suppress
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

from selfrag.domain.errors import InvalidInput

_PORTS = {"http": 80, "https": 443}
_LOOKS_LIKE_ONE = re.compile(r"https?:/|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# What stands in an address as it is: its marks, and what is percent-encoded already.
_AS_IT_IS = "%/:=&?~+!$,;'@()*[]"


def is_address(name: str) -> bool:
    """Return whether a name is meant as an address, and not as a path."""
    return _LOOKS_LIKE_ONE.match(name) is not None


def canonical(address: str) -> str:
    """Return an address without its fragment and the port of its scheme, and with the rest percent-encoded.

    Raises InvalidInput for what is no address of a page, and for one with a password, which would be kept with it.
    """
    try:
        parts, port = urlsplit(address.strip()), urlsplit(address.strip()).port
        host = _ascii(parts.hostname or "")
    except ValueError as error:  # an unclosed bracket, a port without digits, a host with a label of 64 letters
        raise InvalidInput(f"{address} is no address of a page: {error}.") from error
    if parts.scheme not in _PORTS:
        raise InvalidInput(f"{address} cannot be read: use an address that begins with https:// or http://.")
    if "@" in parts.netloc:
        raise InvalidInput("Leave the name and the password out of the address: they would be kept with its pages.")
    if not host:
        raise InvalidInput(f"{address} names no host: use an address such as https://example.com/handbook/.")
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port in (None, _PORTS[parts.scheme]) else f"{shown}:{port}"
    path, query = (quote(part, safe=_AS_IT_IS) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, netloc, path or "/", query, ""))


def linked(base: str, link: str) -> str | None:
    """Return the address that a link of a page leads to; None for what is no page, such as a message to be written."""
    with suppress(InvalidInput, ValueError):
        return canonical(urljoin(base, link.strip()))
    return None


def same_site(first: str, second: str) -> bool:
    """Return whether two addresses are of one host; with http and https it is the same, at the ports of both."""
    return _site(urlsplit(first)) == _site(urlsplit(second))


def host_in(address: str) -> str:
    """Return the name of the host in an address."""
    return urlsplit(address).hostname or ""


def _site(parts: SplitResult) -> tuple[str | None, int | None]:
    # An address in its one form names no port that is usual.
    return parts.hostname, parts.port


def _ascii(host: str) -> str:
    return host if host.isascii() else host.encode("idna").decode()
