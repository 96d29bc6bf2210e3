"""Reading a site connects to nothing in a private network that was not named, and every request ends.

The names are looked up, the connections made and the clock read by doubles: no test uses a network.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.sources.place import place_to_read
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.site.fetching import REQUEST_SECONDS, Fetcher
from selfrag_cli.local.sources.site.networks import Network, is_public
from selfrag_cli.local.sources.site.notes import SiteLimits
from selfrag_cli.local.sources.site.visits import Visit
from selfrag_cli.local.sources.site.walk import site_comparison
from selfrag_cli.local.sources.sync import sync
from tests.support.fakes import FakeEmbedder

PUBLIC, INSIDE = "93.184.216.34", "10.1.2.3"
HOME = "<html><h1>Home</h1><p>The first page says enough to be read.</p><a href='/next'>Next</a></html>"
NEXT = "<html><h1>Next</h1><p>The next page says enough to be read, too.</p></html>"


def reply(body: str, *headers: str, status: str = "200 OK", keep: bool = False) -> bytes:
    more = [
        *headers,
        "content-type: text/html",
        f"content-length: {len(body)}",
        *([] if keep else ["connection: close"]),
    ]
    return "\r\n".join([f"HTTP/1.1 {status}", *more, "", body]).encode()


NO_ROBOTS = reply("", status="404 Not Found")


class Exchange(httpcore2.MockStream):
    """A connection that replies to each request by its path."""

    def __init__(self, internet: "Internet", address: str) -> None:
        super().__init__([])
        self._internet, self._address = internet, address

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:
            return
        self._internet.requests.append((self._address, buffer.split(b" ")[1].decode(), buffer))
        self._buffer.extend(self._internet.replies(self._address, buffer.split(b" ")[1].decode()))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not self._internet.drips:
            return super().read(max_bytes)
        self._internet.seconds += 2.0
        self._internet.timeouts.append(timeout or math.inf)
        self._buffer[:1] = [self._buffer[0][:1], self._buffer[0][1:]]
        return self._buffer.pop(0)

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "Exchange":
        self._internet.tls_names.append(server_hostname or "")
        return self

    def get_extra_info(self, info: str) -> Any:
        return None


@dataclass
class Internet(httpcore2.NetworkBackend):
    """Names with their addresses, one list for each look-up, and the pages at addresses.

    `pages` may be of any address; a page of `INSIDE` that is asked for is what must not be.
    """

    names: dict[str, list[Sequence[str]]]
    pages: dict[str, bytes] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)
    connections: list[str] = field(default_factory=list)
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)
    tls_names: list[str] = field(default_factory=list)
    drips: bool = False
    seconds: float = 0.0
    timeouts: list[float] = field(default_factory=list)

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups.append(host)
        found = self.names.get(host, [[host]])
        addresses = found.pop(0) if len(found) > 1 else found[0]
        if not addresses:
            raise OSError("Name or service not known")
        return addresses

    def connect_tcp(self, host: str, port: int, *arguments: Any, **named: Any) -> Exchange:
        self.connections.append(host)
        return Exchange(self, host)

    def replies(self, address: str, path: str) -> Sequence[bytes]:
        return [NO_ROBOTS if path == "/robots.txt" else self.pages.get(path, reply(HOME if path == "/" else NEXT))]

    def network(self, private_host: str) -> Network:
        return Network(private_host, self.resolve, self, lambda: self.seconds)

    def ingest(self, address: str, private: bool = False) -> IngestionReport:
        compare_with = site_comparison(SiteLimits(), lambda reading: None, private, self.network, lambda seconds: None)
        return sync(place_to_read(address, "site"), embedder=FakeEmbedder(), compare_with=compare_with)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def moved(location: str) -> bytes:
    return reply("", f"location: {location}", status="302 Found")


@pytest.mark.parametrize(
    ("names", "location"),
    [
        ({"site.test": [[PUBLIC]]}, f"http://{INSIDE}/admin"),
        ({"site.test": [[PUBLIC, "240.0.0.1"]]}, f"http://{INSIDE}/admin"),
        ({"site.test": [[PUBLIC]], "other.test": [[INSIDE]]}, "http://other.test/admin"),
        ({"site.test": [[PUBLIC]], "other.test": [[PUBLIC], [INSIDE]]}, "http://other.test/admin"),
        ({"site.test": [[PUBLIC]], "other.test": [[], [INSIDE]]}, "http://other.test/admin"),
    ],
    ids=["an address", "a first host with an unroutable one", "a name", "a name that changes", "a name that fails"],
)
def test_no_redirect_of_a_public_site_leads_into_a_private_network(
    names: dict[str, list[Sequence[str]]], location: str
) -> None:
    internet = Internet(names, {"/": moved(location), "/admin": reply(NEXT)})
    with pytest.raises((InvalidInput, TemporarilyUnavailable)):
        internet.ingest("http://site.test/")
    assert set(internet.connections) == {PUBLIC}


def test_a_refused_redirect_says_what_to_do() -> None:
    internet = Internet({"site.test": [[PUBLIC]], "wiki.corp": [[INSIDE]]}, {"/": moved("http://wiki.corp/a?b&c")})
    with pytest.raises(InvalidInput) as refused:
        internet.ingest("http://site.test/")
    assert str(refused.value) == (
        "http://site.test/ leads to http://wiki.corp/a?b&c, which was not asked: wiki.corp is in a private network "
        "(10.1.2.3); if it is a site of yours: `selfrag ingest 'http://wiki.corp/a?b&c' --private`."
    )


def test_a_site_whose_name_turns_to_a_private_address_is_not_asked_there() -> None:
    internet = Internet({"site.test": [[PUBLIC], [PUBLIC], [INSIDE]]})
    report = internet.ingest("http://site.test/")
    assert internet.connections == [PUBLIC, PUBLIC]
    assert report.not_read == 1
    assert "site.test is in a private network (10.1.2.3)" in report.warnings[0]


def test_the_rules_of_a_public_site_are_not_fetched_from_a_private_network() -> None:
    internet = Internet({"site.test": [[PUBLIC]]}, {"/": reply(NEXT)})
    internet.replies = lambda address, path: [moved(f"http://{INSIDE}/admin") if "robots" in path else reply(NEXT)]  # type: ignore[method-assign]
    assert internet.ingest("http://site.test/").added == 1
    assert set(internet.connections) == {PUBLIC}


def test_of_a_host_with_private_and_public_addresses_only_the_public_are_connected_to() -> None:
    internet = Internet({"site.test": [[INSIDE, "fe80::1%eth0", PUBLIC]]})
    internet.ingest("http://site.test/")
    assert set(internet.connections) == {PUBLIC}


def test_a_connection_goes_to_the_looked_up_address_and_tls_checks_the_name() -> None:
    internet = Internet({"site.test": [[PUBLIC]]}, {"/": reply(HOME, keep=True)})
    internet.ingest("https://site.test/")
    # One look-up for each connection, and one connection for the two pages.
    assert internet.lookups == ["site.test"] * len(internet.connections) == ["site.test"] * 2
    assert set(internet.tls_names) == {"site.test"}
    assert all(b"\r\nHost: site.test\r\n" in sent for _, _, sent in internet.requests)


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
def test_no_form_of_a_private_address_is_connected_to(address: str) -> None:
    internet = Internet({"site.test": [[address]]})
    with pytest.raises(InvalidInput, match=r"site\.test is in a private network"):
        internet.ingest("http://site.test/")
    assert internet.connections == []


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::"]
)
def test_a_public_address_is_public_in_each_form(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "[::1]", "192.168.1.1", "localhost"])
def test_a_private_address_is_named_by_typing_it(host: str) -> None:
    internet = Internet({"localhost": [["::1", "127.0.0.1"]]})
    assert internet.ingest(f"http://{host}/").added == 2


def test_a_name_in_a_private_network_is_read_if_the_operator_says_so_and_leads_to_no_other() -> None:
    names: dict[str, list[Sequence[str]]] = {"wiki.corp": [[INSIDE]], "pay.corp": [["10.9.9.9"]]}
    with pytest.raises(InvalidInput, match=r"`selfrag ingest http://wiki\.corp/ --private`"):
        Internet(names).ingest("http://wiki.corp/")
    assert Internet(names).ingest("http://wiki.corp/", private=True).added == 2
    leading = Internet(names, {"/": moved("http://pay.corp/salaries")})
    with pytest.raises(InvalidInput, match=r"pay\.corp is in a private network"):
        leading.ingest("http://wiki.corp/", private=True)
    assert set(leading.connections) == {INSIDE}


def test_a_proxy_is_asked_for_no_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    for host in ("10.1.2.3", "0x0a010203", "[::ffff:127.0.0.1]"):
        internet = Internet({}, {"http://site.test/": moved(f"http://{host}/admin")})
        with pytest.raises(InvalidInput, match="in a private network"):
            internet.ingest("http://site.test/")
        # The proxy is the operator's own, and it looks the names up.
        assert (set(internet.connections), internet.lookups) == ({"proxy.test"}, [])


@pytest.mark.parametrize("head", ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"])
def test_a_reply_that_drips_ends_with_the_time_of_the_request(head: str) -> None:
    internet, waits = Internet({"site.test": [[PUBLIC]]}, {"/": head.encode() + b"a" * 10_000}), list[float]()
    internet.drips = True
    with Fetcher(internet.network(""), waits.append) as fetcher:
        fetched = fetcher.get("http://site.test/")
    assert (fetched.status, fetched.why, waits) == (0, "did not reply in time", [1.0, 2.0])
    # Each byte takes two seconds.
    assert internet.seconds == 3 * REQUEST_SECONDS
    assert max(internet.timeouts) <= 20.0


def test_a_validator_that_cannot_be_sent_is_not_stored() -> None:
    page = reply(NEXT).decode().replace("connection: close", "etag: \xff\r\nlast-modified: \xff\r\nconnection: close")
    internet = Internet({"site.test": [[PUBLIC]]}, {"/": page.encode("latin-1")})
    assert internet.ingest("http://site.test/").added == 1
    assert internet.ingest("http://site.test/").unchanged == 1
    assert not any(b"if-none-match" in sent or b"if-modified" in sent for _, _, sent in internet.requests)
    # As an earlier release has stored it.
    assert Visit.model_validate_json('{"etag": "\\u00ff", "modified": "\\n"}').conditions() == {}
