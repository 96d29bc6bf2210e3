"""`selfrag ingest` of a site: its output, and questions, citations and listings of its pages."""

import json
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import Run
from tests.support.doubles.web_site import WebSite, moved, page
from tests.support.loopback import Loopback


@pytest.fixture
def site() -> Iterator[str]:
    leave = page("Leave", "Everybody has 25 days of leave a year, and they expire in March.")
    pages = {"/": page("Handbook", "What everybody should know.", "/leave/", "/old", "/lost"), "/leave/": leave}
    with Loopback(WebSite({**pages, "/old": moved("/leave/")})) as served:
        yield f"{served.url}/"


def test_a_site_is_ingested_asked_cited_by_address_listed_and_removed(here: Run, site: str) -> None:
    never = here("ask", "How many days of leave are there?", "--docs", site)
    assert (never.code, never.err) == (
        2,
        f"selfrag: Nothing of {site} has been read yet; use `selfrag ingest` first.\n",
    )
    plan = here("ingest", site, "--dry-run")
    assert plan.out.splitlines()[:3] == [
        f"would add {site}",
        f"would add {site}leave/",
        "4 addresses requested: 2 read (0.0 MB), 0 unchanged, 1 redirects",
    ]
    first = here("ingest", site)
    assert first.out.splitlines() == [
        # The plan has fetched them.
        "4 addresses requested: 0 read (0.0 MB), 2 unchanged, 1 redirects",
        "2 added, 0 changed, 0 removed, 0 unchanged, 0 failed",
    ]
    assert first.err == f"selfrag: warning: 1 address was linked and not there: {site}lost (404).\n"
    answer = here("ask", "How many days of leave are there?", "--docs", site, "--json").response
    assert [citation["document"] for citation in answer["citations"]] == [f"{site}leave/"]
    listed = json.loads(here("documents", "--docs", site, "--json").out)
    assert [(one["document"], one["status"], one["date"]) for one in listed] == [
        (site, "ready", "2026-01-31"), (f"{site}leave/", "ready", "2026-01-31"),
    ]  # fmt: skip
    assert [known["directory"] for known in json.loads(here("collections", "--json").out)] == [site]
    assert here("collections", "remove", site, "--yes").code == 0
    assert here("documents", "--docs", site).code == 2


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("ftp://example.com/", "ftp://example.com/ cannot be read: use an address that begins with https:// or http://."),
        ("https:/example.com", "https:/example.com names no host: use an address such as https://example.com/handbook/."),
        ("http://127.0.0.1:9/", "was not sent: 127.0.0.1:9 cannot be reached"),
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_one_line(here: Run, named: str, words: str) -> None:
    ended = here("ingest", named)
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert words in ended.err
