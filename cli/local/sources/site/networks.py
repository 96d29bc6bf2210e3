"""Private networks, into which no page of the public web may lead a reader."""

import socket
from ipaddress import IPv6Address, ip_address


def leads_inside(origin: str, target: str) -> bool:
    """Return whether a redirect from one host to another leads from the public web into a private network."""
    return not _is_private(origin) and _is_private(target)


def _is_private(host: str) -> bool:
    """Return whether a host has an address that is not of the public web; one without any address has not."""
    try:
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    return not all(_is_global(address.partition("%")[0]) for address in found)


def _is_global(address: str) -> bool:
    ip = ip_address(address)
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return (mapped or ip).is_global
