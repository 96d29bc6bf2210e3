"""Reading a site connects to nothing in a private network that was not named, and every request ends.

The names are looked up and the connections made by doubles in the process of the crawl: no test uses a network.
"""

import json
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from werkzeug.serving import make_server
from werkzeug.wrappers import Response

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.reader.processes import isolation
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.site import SiteLimits
from selfrag_cli.local.sources.site.guard import is_public, literal_address
from selfrag_cli.local.sources.source import source_to_read
from tests.support.doubles.web_site import WebSite, moved, page, small
from tests.support.fakes import FakeEmbedder
from tests.support.loopback import Loopback
from tests.support.reading import sync

PUBLIC, INSIDE = "93.184.216.34", "10.1.2.3"
Names = dict[str, list[Sequence[str]]]


@dataclass
class Internet:
    """Names with their addresses, one list for each look-up, and one site that answers at all of them."""

    names: Names
    log: Path
    port: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    def command(self, module: str, *arguments: str) -> list[str]:
        doubles = {"names": self.names, "log": str(self.log), "port": self.port, "settings": self.settings}
        return [sys.executable, "-P", "-m", "tests.support.doubles.internet", json.dumps(doubles)]

    @property
    def connections(self) -> set[str]:
        return set(self.log.read_text(encoding="utf-8").split()) if self.log.exists() else set()

    def ingest(self, address: str, private: bool = False) -> IngestionReport:
        limits = SiteLimits(private=private)
        return sync(source_to_read(address, "site"), embedder=FakeEmbedder(), limits=limits)


Connect = Callable[..., Internet]


@pytest.fixture
def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Connect:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "home"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def build(names: Names, url: str = "", **settings: Any) -> Internet:
        internet = Internet(names, tmp_path / "connections", urlsplit(url).port or 0, settings)
        original = isolation.command

        def command(module: str, *arguments: str) -> list[str]:
            return internet.command(module) if module.endswith(".spider") else original(module, *arguments)

        monkeypatch.setattr(isolation, "command", command)
        return internet

    return build


@contextmanager
def serving(first: Any) -> Iterator[str]:
    with Loopback(WebSite({"/": first, "/admin": page("Admin", "What nobody outside may read.")})) as served:
        yield served.url


@pytest.mark.parametrize(
    ("names", "location"),
    [
        ({"site.test": [[PUBLIC]]}, f"http://{INSIDE}/admin"),
        ({"site.test": [[PUBLIC, "240.0.0.1"]]}, f"http://{INSIDE}/admin"),
        ({"site.test": [[PUBLIC]], "other.test": [[], [INSIDE]]}, "http://other.test/admin"),
    ],
    ids=["an address", "a first host with an unroutable one", "a name that fails"],
)
def test_no_redirect_of_a_public_site_leads_into_a_private_network(
    connect: Connect, names: Names, location: str
) -> None:
    with serving(moved(location)) as url:
        internet = connect(names, url)
        with pytest.raises((InvalidInput, TemporarilyUnavailable)):
            internet.ingest("http://site.test/")
    assert internet.connections == {PUBLIC}


def test_a_refused_redirect_says_what_to_do(connect: Connect) -> None:
    with serving(moved("http://wiki.corp/a?b&c")) as url:
        internet = connect({"site.test": [[PUBLIC]], "wiki.corp": [[INSIDE]]}, url)
        with pytest.raises(InvalidInput) as refused:
            internet.ingest("http://site.test/")
    assert str(refused.value) == (
        "http://site.test/ leads to http://wiki.corp/a?b&c, which was not asked: wiki.corp is in a private network "
        "(10.1.2.3); if it is a site of yours: `selfrag ingest 'http://wiki.corp/a?b&c' --private`."
    )


def test_site_rebinding_to_private_address_is_not_requested(connect: Connect) -> None:
    closed = {"Connection": "close"}
    home = page("Home", "The first page says enough to be read.", "/admin")
    with serving(lambda: Response(home, mimetype="text/html", headers=closed)) as url:
        internet = connect({"site.test": [[PUBLIC], [PUBLIC], [INSIDE]]}, url)
        report = internet.ingest("http://site.test/")
    assert internet.connections == {PUBLIC}
    assert report.not_read <= 1


def test_public_site_robots_file_is_not_fetched_from_private_network(connect: Connect) -> None:
    site = small({})
    site.robots = moved(f"http://{INSIDE}/admin")
    with Loopback(site) as served:
        internet = connect({"site.test": [[PUBLIC]]}, served.url)
        assert internet.ingest("http://site.test/").added == 1
    assert internet.connections == {PUBLIC}


def test_host_with_mixed_addresses_is_reached_only_by_public_ones(connect: Connect) -> None:
    with Loopback(small({})) as served:
        internet = connect({"site.test": [[INSIDE, "fe80::1", PUBLIC]]}, served.url)
        internet.ingest("http://site.test/")
    assert internet.connections == {PUBLIC}


def test_tls_checks_the_certificate(connect: Connect) -> None:
    server = make_server("127.0.0.1", 0, small({}), threaded=True, ssl_context="adhoc")
    Thread(target=server.serve_forever, daemon=True).start()
    with pytest.raises(TemporarilyUnavailable, match="nothing was changed"):
        connect({"site.test": [[PUBLIC]]}, f"https://127.0.0.1:{server.port}").ingest("https://site.test/")
    server.shutdown()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "100.64.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "fe80::1%eth0",
        "fec0::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "2001:0:5db8:d822::80ff:fffe",
        "2001:0:7f00:1::a247:27dd",
        "2600::5efe:127.0.0.1",
        "2600::200:5efe:10.1.2.3",
    ],
)
def test_a_private_address_is_private_in_each_form(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::"]
)
def test_a_public_address_is_public_in_each_form(address: str) -> None:
    assert is_public(address)


def test_a_private_address_is_named_by_typing_it() -> None:
    hosts = ["127.0.0.1", "127.1", "2130706433", "::1", "192.168.1.1", "localhost", "example.com"]
    assert [literal_address(host) for host in hosts] == ["127.0.0.1"] * 3 + ["::1", "192.168.1.1", "127.0.0.1", ""]


def test_private_host_is_read_only_if_the_operator_allows_it(connect: Connect) -> None:
    names: Names = {"wiki.corp": [[INSIDE]], "pay.corp": [["10.9.9.9"]]}
    with Loopback(small({"/next": "The next page."})) as served:
        internet = connect(names, served.url)
        with pytest.raises(InvalidInput, match=r"`selfrag ingest http://wiki\.corp/ --private`"):
            internet.ingest("http://wiki.corp/")
        assert internet.ingest("http://wiki.corp/", private=True).added == 2
    with serving(moved("http://pay.corp/salaries")) as url:
        internet = connect(names, url)
        with pytest.raises(InvalidInput, match=r"pay\.corp is in a private network"):
            internet.ingest("http://wiki.corp/", private=True)
    assert internet.connections == {INSIDE}


@pytest.mark.parametrize("host", ["10.1.2.3", "0x0a010203", "[::ffff:127.0.0.1]", "proxy.test"])
def test_a_proxy_is_asked_for_no_private_address(connect: Connect, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    with serving(moved(f"http://{host}/admin")) as url:
        # The proxy is the operator's own, and it looks the names up.
        internet = connect({"proxy.test": [[INSIDE]]}, url)
        with pytest.raises(InvalidInput, match="in a private network"):
            internet.ingest("http://site.test/")
    assert internet.connections == {INSIDE}


@pytest.mark.parametrize("head", ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"])
def test_a_reply_that_drips_ends_with_the_time_of_the_request(connect: Connect, head: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended, port = Event(), server.getsockname()[1]

        def drip() -> None:
            while not ended.is_set():
                connection, _ = server.accept()
                with connection:
                    request = connection.recv(9999)
                    begin = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                    connection.sendall((begin if b"robots.txt" in request else head).encode())
                    while b"robots.txt" not in request and not ended.wait(0.01):
                        try:
                            connection.sendall(b"a")
                        except OSError:
                            break

        thread = Thread(target=drip, daemon=True)
        thread.start()
        internet = connect({"site.test": [[PUBLIC]]}, f"http://127.0.0.1:{port}", DOWNLOAD_TIMEOUT=0.3, RETRY_TIMES=0)
        with pytest.raises(TemporarilyUnavailable, match="did not reply in time"):
            internet.ingest("http://site.test/")
        ended.set()


def test_a_header_beyond_ascii_locks_no_site_out(connect: Connect) -> None:
    headers = {"ETag": "\xff", "Last-Modified": "\xff"}
    with serving(lambda: Response(page("Home", "It says enough."), mimetype="text/html", headers=headers)) as url:
        internet = connect({"site.test": [[PUBLIC]]}, url)
        assert internet.ingest("http://site.test/").added == 1
        assert internet.ingest("http://site.test/").unchanged == 1
