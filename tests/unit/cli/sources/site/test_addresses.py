"""An address has one form, and a name that looks like one is never taken for a path."""

from pathlib import Path

import httpx2
import pytest

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.sources.place import place_to_ask, place_to_read
from selfrag_cli.local.sources.site.addresses import canonical, is_address, linked, same_site
from selfrag_cli.local.sources.site.fetching import ending_for, head_of
from selfrag_cli.local.sources.site.notes import SiteLimits
from selfrag_cli.local.sources.site.walk import site_comparison
from selfrag_cli.local.sources.sync import sync
from tests.support.fakes import FakeEmbedder


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ("HTTPS://Example.COM:443", "https://example.com/"),
        ("http://example.com:8080/a?b=c d#e", "http://example.com:8080/a?b=c%20d"),
        ("http://例え.jp/日本/%7Ea", "http://xn--r8jz45g.jp/%E6%97%A5%E6%9C%AC/%7Ea"),
        ("http://[::1]:80/x", "http://[::1]/x"),
    ],
)
def test_an_address_has_one_form(given: str, form: str) -> None:
    assert canonical(given) == form == canonical(form)
    assert place_to_read(given).site == form


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("ftp://example.com/", "use an address that begins with https:// or http://"),
        ("file:///etc/passwd", "use an address that begins with https:// or http://"),
        ("https:/example.com", "https:/example.com names no host"),
        ("https://", "names no host"),
        ("http://example.com:port/", "is no address of a page"),
        ("http://[::1/", "is no address of a page"),
        ("https://me:hunter2@example.com/", "Leave the name and the password out of the address"),
    ],
)
def test_what_is_meant_as_an_address_and_is_none_is_refused(given: str, words: str) -> None:
    for place in (place_to_read, lambda docs: place_to_ask(docs, "")):
        with pytest.raises(InvalidInput, match=words) as refused:
            place(given)
        assert "hunter2" not in str(refused.value)


def test_a_path_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "a:b", "http"):
        (tmp_path / name).mkdir()
        assert not is_address(name)
        assert place_to_read(name).directory == Path(name)


def test_links_are_of_a_site_by_their_host_and_port() -> None:
    base = "https://example.com/a/b"
    links = [
        "../c#d",
        "//example.com/e",
        "http://example.com/",
        "https://www.example.com/",
        "https://example.com:8443/",
    ]
    found = [linked(base, link) or "" for link in links]
    assert found[0] == "https://example.com/c"
    assert [same_site(base, one) for one in found] == [True, True, True, False, False]
    assert [linked(base, link) for link in ("mailto:a@b.c", "javascript:x()", "tel:1", "http://[")] == [None] * 4


@pytest.mark.parametrize(
    ("address", "kind", "ending"),
    [
        ("http://h/", "text/html; charset=utf-8", ".html"),
        ("http://h/a.md", "text/html", ".html"),
        ("http://h/a.md", "text/plain", ".md"),
        ("http://h/a", "text/plain", ".txt"),
        ("http://h/a.csv", "application/octet-stream", ".csv"),
        ("http://h/a.docx?x=.png", "", ".docx"),
        ("http://h/get", "application/pdf", ".pdf"),
        ("http://h/a.pdf", "image/png", ""),
        ("http://h/a", "application/octet-stream", ""),
        ("http://h/a", "application/zip", ""),
    ],
)
def test_a_page_is_of_the_kind_that_its_type_says_and_else_its_address(address: str, kind: str, ending: str) -> None:
    assert ending_for(address, kind) == ending


def test_how_long_to_wait_is_a_number_or_a_moment() -> None:
    def wait(retry_after: str) -> float | None:
        headers = {"retry-after": retry_after, "date": "Wed, 25 Nov 2026 10:00:00 GMT"}
        return head_of("http://h/", httpx2.Response(503, headers=headers)).retry_after

    asked = [wait(one) for one in ("7", "Wed, 25 Nov 2026 10:01:30 GMT", "Wed, 25 Nov 2026 09:00:00 GMT", "soon", "-1")]
    assert asked == [7.0, 90.0, 0.0, None, None]


def test_a_host_that_cannot_be_reached_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    waits: list[float] = []
    compare_with = site_comparison(SiteLimits(), lambda reading: None, wait=waits.append)
    with pytest.raises(TemporarilyUnavailable, match=r"robots\.txt was not sent: 127\.0\.0\.1:9 cannot be reached"):
        sync(place_to_read("http://127.0.0.1:9/", "site"), embedder=FakeEmbedder(), compare_with=compare_with)
    assert waits == []
