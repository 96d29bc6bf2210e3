"""The network that a site is read over: the addresses that may be connected to.

A name is looked up once for each connection, and the connection goes to an address that was checked. So no redirect, no
second look-up and no later connection leads into a private network.
"""

import socket
import time
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpcore2
import httpx2

from selfrag.adapters.outbound import proxy_for, unusable_proxy
from selfrag.adapters.transport import Resolve, Transport
from selfrag.domain.errors import Misconfigured

_PUBLIC_IPV6 = IPv6Network("2000::/3")
# The one metadata service whose address is in no private range (Azure).
_METADATA = {IPv4Address("168.63.129.16")}
# Prefixes of addresses that end in the IPv4 address that is reached: compatible, mapped, translated, NAT64.
_ENDING_IN_IPV4 = [IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")]
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}


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

    `resolve`, `backend` and `clock` are the system's.
    """

    def __init__(
        self,
        private_host: str = "",
        resolve: Resolve | None = None,
        backend: httpcore2.NetworkBackend | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._private_host, self._resolve, self._clock = private_host, resolve or _resolve, clock
        self._backend = backend

    def client(self, address: str) -> httpx2.Client:
        """Return a client for the host of an address, by the proxy of the environment if it names one.

        Raises PrivateNetwork for a host written as a private address, Misconfigured for an unusable proxy.
        """
        host, proxy = httpx2.URL(address).host, proxy_for(address)
        if proxy and not self._may_be_private(host) and (literal := literal_address(host)):
            _check(host, [literal])
        try:
            # The proxy looks names up itself, and is the operator's own.
            resolve = self._as_named if proxy else self._checked
            return httpx2.Client(transport=Transport(proxy, None, resolve, self._backend, self._clock))
        except (ImportError, ValueError) as error:
            raise Misconfigured(unusable_proxy()) from error

    def _checked(self, host: str, port: int) -> Sequence[str]:
        addresses = self._resolve(host, port)
        return addresses if self._may_be_private(host) else _check(host, addresses)

    def _as_named(self, host: str, port: int) -> Sequence[str]:
        return [host]

    def _may_be_private(self, host: str) -> bool:
        return host == self._private_host


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
