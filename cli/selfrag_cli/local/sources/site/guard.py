"""The addresses that a crawl may connect to: public ones, and those of the user's host.

Twisted resolves every connection here, even to a literal IP address.
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
# Azure's metadata service, whose address is not in a private range.
_METADATA = {IPv4Address("168.63.129.16")}
# Prefixes of IPv6 addresses that embed an IPv4 address: compatible, mapped, translated, NAT64.
_ENDING_IN_IPV4 = [IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")]
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}


def is_public(address: str) -> bool:
    """Return whether an IP address and any embedded IPv4 address are public."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        if embedded := _embedded_ipv4(ip):
            return all(is_public(str(address)) for address in embedded)
        if ip not in _PUBLIC_IPV6:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip in _METADATA)


def _embedded_ipv4(ip: IPv6Address) -> Sequence[IPv4Address]:
    if ip.teredo:
        return ip.teredo
    if ip.sixtofour:
        return [ip.sixtofour]
    if any(ip in prefix for prefix in _ENDING_IN_IPV4) or (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return [IPv4Address(int(ip) & 0xFFFF_FFFF)]
    return []


def literal_address(host: str) -> str:
    """Return a host's literal IP address in any notation; loopback for localhost, "" for other names."""
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    with suppress(OSError, UnicodeError):
        return str(socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)[0][4][0])
    return ""


class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver without private addresses, except for `trusted` hosts.

    `refused` lists the private addresses by host. A host with any public address is allowed, so one wrong record does
    not block a public site.
    """

    trusted: Collection[str] = ()
    refused: dict[str, set[str]] = {}

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:
        """Resolve a name for one connection."""
        if hostName not in self.trusted:
            resolutionReceiver = _PublicReceiver(resolutionReceiver, hostName)
        # Scrapy's resolver would remember names even without its cache.
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
