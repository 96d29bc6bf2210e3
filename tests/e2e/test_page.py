"""The page on which people ask, as a person uses it: in Chromium, over real HTTP.

`make install` installs Debian's chromium-headless-shell where root may, and axe-core by npm.
"""

from collections.abc import Iterator

import httpx2
import pytest

from selfrag.api.page import bundle
from tests.e2e.test_api import api, model  # noqa: F401 (fixtures)
from tests.support.local import QUESTION
from tests.support.page.browsing import Tab, browsing
from tests.support.page.said import saying

# The local stack's bucket.
UPLOADS_TO = "https://selfrag-documents.s3.amazonaws.com"


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browsing() as opened:
        yield opened


def asked(tab: Tab, question: str) -> None:
    """Ask and wait for the answer."""
    answers = tab.run("document.querySelectorAll('.feedback').length")
    tab.write("#question", question)
    tab.click("#question-form [type=submit]")
    tab.until(f"document.querySelectorAll('.feedback').length > {answers}")


def test_a_question_is_asked_on_the_page_and_its_citation_opens_the_quote(
    tab: Tab,
    api: httpx2.Client,  # noqa: F811
) -> None:
    tab.open(f"{api.base_url}")
    asked(tab, QUESTION["question"])
    assert "days" in tab.run("document.querySelector('.answer').textContent")
    tab.click(".cite")
    assert "Fact number" in tab.run("document.querySelector('#source blockquote').textContent")
    ran = tab.run("[...document.querySelectorAll('.node.ran')].map((one) => one.dataset.state)")
    assert ran[:2] == ["DecideRetrieval", "Retrieve"]
    assert tab.said == []
    assert {address.split("/")[2] for address in tab.requests if "//" in address} == {api.base_url.netloc.decode()}


def test_the_page_weighs_little_and_is_no_part_of_the_description(api: httpx2.Client) -> None:  # noqa: F811
    page = api.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert len(page.content) <= 90_000
    assert page.headers["content-security-policy"] == bundle.policy(UPLOADS_TO)
    assert "unsafe" not in bundle.policy()
    assert "/" not in api.get("/v1/openapi.json").json()["paths"]


def given_the_key(tab: Tab) -> None:
    """Write the key where it is asked for."""
    tab.until("document.querySelector('dialog').open")
    tab.write("#key", "the-key")
    tab.click("#key-form button")


def test_a_key_is_asked_for_where_one_is_needed_and_kept_for_the_session_only(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        assert not tab.run("document.querySelector('dialog').open")
        tab.click("#show-documents")
        given_the_key(tab)
        tab.until("document.querySelector('[data-id]')")
        assert tab.run("[Object.values(sessionStorage).includes('the-key'), localStorage.length, document.cookie]") == [
            True,
            0,
            "",
        ]
        assert not [address for address in tab.requests if "the-key" in address]


def asked_with_the_key(tab: Tab) -> None:
    """Ask where a key is wanted."""
    tab.write("#question", "What?")
    tab.click("#question-form [type=submit]")
    given_the_key(tab)
    tab.until("document.querySelector('.feedback')")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_each_view_can_be_used_by_whoever_cannot_see_it(tab: Tab, width: int, dark: bool) -> None:
    with saying("Fact number one. " * 40) as url:
        tab.open(url, width, dark)
        assert tab.violations() == []
        asked_with_the_key(tab)
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert tab.violations() == []
        tab.click("#show-documents")
        tab.until("document.querySelector('[data-id]')")
        assert tab.violations() == []
    assert tab.said == []
