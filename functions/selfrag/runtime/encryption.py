"""Which services may be called without TLS: those of this machine, and those that the operator names."""

import ipaddress
from urllib.parse import urlsplit

from selfrag.runtime.settings import FromEnvironment, read


class NetworkSettings(FromEnvironment):
    """The hosts of a private network that may be called over plain http, with commas between them."""

    plain_http_hosts: str = ""


def check_encrypted(url: str) -> str:
    """Return the URL of a service that gets keys and texts; raises ValueError if others could read them on the way."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.scheme == "http" and not is_loopback_host(host) and not _is_named(host):
        raise ValueError(
            "it must begin with https://, or with http:// and name this machine itself (127.0.0.1) or a private host "
            "that SELFRAG_PLAIN_HTTP_HOSTS names: keys and texts would be sent unencrypted"
        )
    return url


def is_loopback_host(host: str) -> bool:
    """Return whether a host is this machine itself."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_named(host: str) -> bool:
    named = [name.strip(" []").lower() for name in read(NetworkSettings).plain_http_hosts.split(",")]
    try:
        return host in named and ipaddress.ip_address(host).is_private
    except ValueError:  # a name, which the operator knows
        return host in named and bool(host)
