"""The process that crawls a site, among doubles: names and their addresses, connections, and settings of Scrapy.

It runs in the place of the product's own, with the doubles as JSON: every connection goes to one port of loopback, and
its address is written into a file.
"""

import json
import socket
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Crawl a site."""
    doubles = json.loads(sys.argv[1])
    names, log = doubles["names"], Path(doubles["log"])
    system = socket.getaddrinfo

    def look_up(host: str, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> list[Any]:
        if host not in names or flags & socket.AI_NUMERICHOST:
            return system(host, port, flags=socket.AI_NUMERICHOST)
        # A list of addresses for each look-up, the last one for all others.
        addresses = names[host].pop(0) if len(names[host]) > 1 else names[host][0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        each = (system(address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST) for address in addresses)
        return [entry for entries in each for entry in entries]

    socket.getaddrinfo = look_up  # type: ignore[assignment]
    from twisted.internet.posixbase import PosixReactorBase

    connect = PosixReactorBase.connectTCP

    def connect_to_loopback(self: Any, host: str, port: int, *arguments: Any, **named: Any) -> Any:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{host}\n")
        return connect(self, "127.0.0.1", doubles["port"] or port, *arguments, **named)

    PosixReactorBase.connectTCP = connect_to_loopback
    from selfrag_cli.local.sources.site import spider

    spider.SETTINGS = {**spider.SETTINGS, **doubles["settings"]}
    spider.main()


if __name__ == "__main__":
    main()
