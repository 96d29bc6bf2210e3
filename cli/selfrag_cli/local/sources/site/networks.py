"""The network that a site is read over: the addresses that may be connected to, and the time that a request may take.

A name is looked up once for each connection, and the connection goes to an address that was checked. So no redirect, no
second look-up and no later connection leads into a private network.
"""

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2

from selfrag.adapters.outbound import proxy_for, unusable_proxy
from selfrag.domain.errors import Misconfigured

REQUEST_SECONDS = 120.0
# As httpx2 keeps connections.
_KEEPALIVE_SECONDS = 5.0
_PUBLIC_IPV6 = IPv6Network("2000::/3")
# The one metadata service whose address is in no private range (Azure).
_METADATA = {IPv4Address("168.63.129.16")}
# Prefixes of addresses that end in the IPv4 address that is reached: compatible, mapped, translated, NAT64.
_ENDING_IN_IPV4 = [IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")]
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}

# The addresses of a host; raises OSError if there are none.
Resolve = Callable[[str, int], Sequence[str]]


class PrivateNetwork(Exception):
    """A host has no address outside private networks, and is not the one that may be private."""


def is_public(address: str) -> bool:
    """Return whether an IP address is of the public internet; one that contains an IPv4 address only if that is too."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        if inner := _ipv4_in(ip):
            return all(is_public(str(address)) for address in inner)
        if ip not in _PUBLIC_IPV6:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip in _METADATA)


def _ipv4_in(ip: IPv6Address) -> Sequence[IPv4Address]:
    """Return the IPv4 addresses in an address of a transition mechanism, none in any other."""
    last = IPv4Address(int(ip) & 0xFFFF_FFFF)
    if ip.teredo:
        return ip.teredo
    if ip.sixtofour:
        return [ip.sixtofour]
    if any(ip in prefix for prefix in _ENDING_IN_IPV4) or (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return [last]
    return []


def literal_address(host: str) -> str:
    """Return the IP address that a host is written as, loopback for localhost, "" for any other name."""
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ip_address(host.partition("%")[0]))
    except ValueError:
        pass
    try:  # the short, decimal and octal forms that look-ups take, such as 127.1
        return str(IPv4Address(socket.inet_aton(host)))
    except (OSError, ValueError):
        return ""


class Network:
    """Makes the clients of a walk; of all hosts only `private_host` may be in a private network.

    A request begins with `begin`, and everything from the connection to the last byte has to come within
    REQUEST_SECONDS. `resolve`, `backend` and `clock` are the system's.
    """

    def __init__(
        self,
        private_host: str = "",
        resolve: Resolve | None = None,
        backend: httpcore2.NetworkBackend | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._private_host, self._resolve, self._clock = private_host, resolve or _resolve, clock
        self._backend = backend or httpcore2.SyncBackend()
        self._ends_at = 0.0

    def begin(self) -> None:
        """Let the time of a request begin."""
        self._ends_at = self._clock() + REQUEST_SECONDS

    def client(self, address: str) -> httpx2.Client:
        """Return a client for the host of an address, by the proxy of the environment if it names one.

        Raises PrivateNetwork for a host written as a private address, Misconfigured for an unusable proxy.
        """
        host, proxy = httpx2.URL(address).host, proxy_for(address)
        if proxy and not self._may_be_private(host) and (literal := literal_address(host)):
            _check(host, [literal])
        try:
            # The proxy looks names up itself, and is the operator's own.
            backend = _Backend(self._backend, self._left, self._as_named if proxy else self._checked)
            return httpx2.Client(transport=_Transport(backend, proxy))
        except (ImportError, ValueError) as error:
            raise Misconfigured(unusable_proxy()) from error

    def _checked(self, host: str, port: int) -> Sequence[str]:
        addresses = self._resolve(host, port)
        return addresses if self._may_be_private(host) else _check(host, addresses)

    def _as_named(self, host: str, port: int) -> Sequence[str]:
        return [host]

    def _may_be_private(self, host: str) -> bool:
        return host == self._private_host

    def _left(self, timeout: float | None) -> float:
        """Return what a timeout may be at most; raises TimeoutException if the request's time is over."""
        left = self._ends_at - self._clock()
        if left <= 0:
            raise httpcore2.TimeoutException(f"not within {REQUEST_SECONDS:.0f} s")
        return left if timeout is None else min(timeout, left)


def _check(host: str, addresses: Sequence[str]) -> Sequence[str]:
    """Return the public ones of a host's addresses; raises PrivateNetwork if there are none.

    A host with private ones beside is not refused: those are never connected to, and one wrong record of a public site
    would make it unreadable.
    """
    public = [address for address in addresses if is_public(address)]
    if not public:
        raise PrivateNetwork(f"{host} is in a private network ({', '.join(addresses)})")
    return public


def _resolve(host: str, port: int) -> Sequence[str]:
    return list(dict.fromkeys(str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


class _Backend(httpcore2.NetworkBackend):
    """Connects to the addresses that a host has by `addresses`, one after the other, with timeouts by `left`."""

    def __init__(
        self, backend: httpcore2.NetworkBackend, left: Callable[[float | None], float], addresses: Resolve
    ) -> None:
        self._backend, self._left, self._addresses = backend, left, addresses

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Return a connection; raises PrivateNetwork, ConnectError, ConnectTimeout."""
        try:
            addresses = self._addresses(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(str(error)) from error
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            seconds = self._left(timeout)
            try:
                stream = self._backend.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return _Stream(stream, self._left)
        raise failed


class _Stream(httpcore2.NetworkStream):
    """A connection on which every wait ends with the request's time."""

    def __init__(self, stream: httpcore2.NetworkStream, left: Callable[[float | None], float]) -> None:
        self._stream, self._left = stream, left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come."""
        return self._stream.read(max_bytes, self._left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, self._left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Return the connection with TLS, for the host's name."""
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._left(timeout)), self._left)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection says of itself."""
        return self._stream.get_extra_info(info)


class _Transport(httpx2.HTTPTransport):
    """httpx2's transport over a pool with a network backend, for which its constructor has no argument."""

    def __init__(self, backend: httpcore2.NetworkBackend, proxy: str) -> None:
        by = httpx2.Proxy(proxy) if proxy else None
        if by and by.url.scheme.startswith("socks"):
            import_module("socksio")
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            proxy=httpcore2.Proxy(str(by.url), by.raw_auth, by.headers.raw, by.ssl_context) if by else None,
            keepalive_expiry=_KEEPALIVE_SECONDS,
            network_backend=backend,
        )
