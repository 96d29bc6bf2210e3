"""An address has one form, and a name that looks like one is never taken for a path."""

from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.site.addresses import canonical, is_address, same_site
from selfrag_cli.local.sources.site.spider import ending_for
from selfrag_cli.local.sources.source import source_to_ask, source_to_read


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
    assert source_to_read(given).site == form


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
def test_malformed_addresses_are_refused(given: str, words: str) -> None:
    for place in (source_to_read, lambda docs: source_to_ask(docs, "")):
        with pytest.raises(InvalidInput, match=words) as refused:
            place(given)
        assert "hunter2" not in str(refused.value)


def test_a_path_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "a:b", "http"):
        (tmp_path / name).mkdir()
        assert not is_address(name)
        assert source_to_read(name).directory == Path(name)


def test_links_are_of_a_site_by_their_host_and_port() -> None:
    others = [f"{host}/e" for host in ("https://example.com", "http://example.com", "https://www.example.com")]
    assert [same_site("https://example.com/a", other) for other in others] == [True, True, False]
    assert not same_site("https://example.com/", "https://example.com:8443/")


@pytest.mark.parametrize(
    ("address", "kind", "ending"),
    [
        ("http://h/", "text/html", ".html"),
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
def test_page_kind_comes_from_content_type_else_from_address(address: str, kind: str, ending: str) -> None:
    assert ending_for(address, kind) == ending
