"""HTTP calls to other hosts: their proxy, and the reason why a host cannot be reached."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from selfrag.adapters.transport import ReplyTooLarge, Transport
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.runtime.encryption import check_encrypted, is_loopback_host

_PORTS = {"http": 80, "https": 443}
# A server that is there says so at once.
REACH_SECONDS = 5.0


def checked_url(url: str, name: str) -> str:
    """Return a base URL unchanged; raises Misconfigured with the setting's name, not its value, if it is unusable."""
    if _address(url) is None:
        raise Misconfigured(f"{name} is not a URL: it must begin with https:// or http:// and name a host.")
    try:
        return check_encrypted(url)
    except ValueError as error:
        raise Misconfigured(f"{name} cannot be used: {error}.") from None


def http_client_for(url: str) -> httpx2.Client:
    """Return a client for the service at a URL, with one clock for a reply; for this machine itself, without a proxy.

    Raises Misconfigured, with the name of the variable, for an unusable proxy.
    """
    try:
        return httpx2.Client(transport=Transport(proxy_for(url)), trust_env=not is_loopback(url))
    except (ImportError, ValueError) as error:  # httpx2's own, for a SOCKS proxy and for any other kind
        raise Misconfigured(unusable_proxy()) from error


def proxy_for(url: str) -> str:
    """Return the address of the proxy that the environment names for a URL; "" for none, and for this machine."""
    parts = urlsplit(url)
    proxy = getproxies().get(_proxy_scheme(parts), "")
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def post(
    client: httpx2.Client,
    url: str,
    service: str,
    body: Mapping[str, object],
    headers: Mapping[str, str],
    seconds: float,
) -> httpx2.Response:
    """Send JSON to a service and return its reply within these seconds; raises the typed error of a refusal."""
    try:
        reply = client.post(url, json=body, headers=headers, timeout=seconds)
    except httpx2.TimeoutException as error:
        raise TemporarilyUnavailable(f"{service} at {host_of(url)} did not reply in time") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unreachable_error(error, url) from error
    if reply.status_code in (408, 429) or reply.status_code >= 500:
        raise TemporarilyUnavailable(f"{service} is busy: status {reply.status_code}")
    if reply.status_code in (401, 403):
        raise Misconfigured(f"{service} at {host_of(url)} refused the key: status {reply.status_code}")
    if reply.status_code == 404 or reply.is_redirect:
        raise Misconfigured(f"{service} is not at {host_of(url)}, so its URL is wrong: status {reply.status_code}")
    if reply.status_code >= 400:
        raise RequestRejected(f"{service} refused the request: status {reply.status_code}")
    return reply


def read_json(client: httpx2.Client, url: str) -> Any:
    """Return the JSON at a URL, None if there is none; raises the error of a server out of reach."""
    try:
        reply = client.get(url, timeout=REACH_SECONDS)
        return reply.json() if reply.status_code == httpx2.codes.OK else None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unreachable_error(error, url) from error
    except (ValueError, RecursionError):
        return None


def unreachable_error(error: Exception, url: str) -> SelfragError:
    """Return the typed error of a failed connection: address, proxy and cause.

    It names host and port, never path, query or password.
    """
    address = _address(url)
    if address is None or any(
        isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL) for cause in _chain(error)
    ):
        return Misconfigured("the base URL is no URL: it must begin with https:// or http:// and name a host")
    for cause in _chain(error):
        if isinstance(cause, ReplyTooLarge):
            return TemporarilyUnavailable(f"{_host_and_port(address)} {cause}")
    return TemporarilyUnavailable(f"{_host_and_port(address)} cannot be reached{_name_proxy(address)}: {_kind(error)}")


def host_of(url: str) -> str:
    """Return the host and port of a URL, for messages."""
    address = _address(url)
    return _host_and_port(address) if address else "its host"


def _address(url: str) -> SplitResult | None:
    """Return the parts of an HTTP URL, or None if it is invalid."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _PORTS and parts.hostname and not set(" \t\r\n") & set(url) and parts.port != 0
    except ValueError:  # a port without digits, an unclosed bracket
        return None
    return parts if usable else None


def _host_and_port(parts: SplitResult) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or _PORTS.get(parts.scheme, '?')}"


def is_loopback(url: str) -> bool:
    """Return whether a URL names this machine itself."""
    return is_loopback_host(urlsplit(url).hostname or "")


def _proxy_scheme(parts: SplitResult) -> str:
    """Return the scheme by which the environment names the proxy for a host; "" for none."""
    proxies, host = getproxies(), parts.hostname or ""
    if is_loopback_host(host) or proxy_bypass(host):
        return ""
    return next((scheme for scheme in (parts.scheme, "all") if proxies.get(scheme)), "")


def _name_proxy(parts: SplitResult) -> str:
    scheme = _proxy_scheme(parts)
    return f" through the proxy that {scheme.upper()}_PROXY names" if scheme else ""


def unusable_proxy() -> str:
    """Return why a proxy of the environment cannot be used, and what to do."""
    for scheme, proxy in getproxies().items():
        kind = proxy.partition("://")[0].lower()
        named = f"{scheme.upper()}_PROXY"
        if kind.startswith("socks"):
            return f"{named} names a SOCKS proxy, which needs the package socksio; unset it or name an http proxy"
        if "://" in proxy and kind not in _PORTS:
            return f"{named} names a proxy of the kind {kind}, which cannot be used; unset it or name an http proxy"
    return "a proxy that the environment names cannot be used; unset it or name an http proxy"


def _kind(error: Exception) -> str:
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, socket.gaierror):
            return "its name cannot be looked up (DNS)"
        if isinstance(cause, ssl.SSLError):
            why = getattr(cause, "verify_message", "") or getattr(cause, "reason", "") or type(cause).__name__
            return f"TLS failed ({why})"
        if isinstance(cause, httpx2.ProxyError):
            return "the proxy refused"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        if isinstance(cause, httpx2.TimeoutException):
            return "no reply in time"
    return type(chain[-1]).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
