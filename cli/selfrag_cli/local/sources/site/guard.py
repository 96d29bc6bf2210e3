"""The addresses that a crawl may connect to: public ones, and those of one host that the user named.

Every connection of Twisted's, also to an address that is written as such, takes its addresses from this resolver.
"""

import socket
from collections.abc import Collection, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from scrapy.resolver import CachingHostnameResolver
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

_PUBLIC_IPV6 = IPv6Network("2000::/3")
# The one metadata service whose address is in no private range (Azure).
_METADATA = {IPv4Address("168.63.129.16")}
# Prefixes of addresses that end in the IPv4 address that is reached: compatible, mapped, translated, NAT64.
_ENDING_IN_IPV4 = [IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")]
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}


def is_public(address: str) -> bool:
    """Return whether an IP address is of the public internet; one that contains an IPv4 address only if that is too."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        if embedded := _embedded_ipv4(ip):
            return all(is_public(str(address)) for address in embedded)
        if ip not in _PUBLIC_IPV6:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip in _METADATA)


def _embedded_ipv4(ip: IPv6Address) -> Sequence[IPv4Address]:
    """Return the IPv4 addresses in an address of a transition mechanism, none in any other."""
    if ip.teredo:
        return ip.teredo
    if ip.sixtofour:
        return [ip.sixtofour]
    if any(ip in prefix for prefix in _ENDING_IN_IPV4) or (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return [IPv4Address(int(ip) & 0xFFFF_FFFF)]
    return []


def literal_address(host: str) -> str:
    """Return the IP address that a host is written as, in any form; loopback for localhost, "" for any other name."""
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    with suppress(OSError, UnicodeError):
        return str(socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)[0][4][0])
    return ""


class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver without private addresses, except those of the `trusted` hosts.

    `refused` has the private addresses of each host. A host with public ones beside is not refused: one wrong record
    of a public site would make it unreadable.
    """

    trusted: Collection[str] = ()
    refused: dict[str, set[str]] = {}

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:
        """Resolve a name for one connection."""
        if hostName not in self.trusted:
            resolutionReceiver = _PublicReceiver(resolutionReceiver, hostName)
        # Scrapy's own would remember names, also where its cache is off.
        resolver: Any = self.original_resolver
        return resolver.resolveHostName(resolutionReceiver, hostName, *args, **kwargs)


@implementer(IResolutionReceiver)
class _PublicReceiver:
    def __init__(self, receiver: Any, host: str) -> None:
        self._receiver, self._host = receiver, host
        self.resolutionBegan, self.resolutionComplete = receiver.resolutionBegan, receiver.resolutionComplete

    def addressResolved(self, address: Any) -> None:
        if is_public(address.host):
            self._receiver.addressResolved(address)
        else:
            PublicResolver.refused.setdefault(self._host, set()).add(address.host)
