"""A person's walk over the page: what they see, at a phone's width and at a desk's, dark and light.

Chromium is Debian's chromium-headless-shell, which `make install` installs by apt-get where root may; Playwright, one of
the development packages, tells it what to do. Where Chromium is missing these tests are skipped, but not in CI.
"""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.test_api import serving_api
from tests.e2e.test_serve import WRITABLE, served
from tests.support.browsing import Tab, browsing
from tests.support.command import HANDBOOK, Command
from tests.support.doubles.model_server import GOOD, ModelServer
from tests.support.files import pdf
from tests.support.local import QUESTION
from tests.support.said import saying

SLOW = 60_000.0
BERTH, LONDON = "What does a guest berth cost a night?", "What is the hotel limit per night in London?"
DOG = "May I bring my dog to the Lisbon office?"
CRANE = "How much does the harbour crane lift?"
widths = pytest.mark.parametrize("width", [390, 1280])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page over a directory that it may change, answered by the stand-in."""
    home = tmp_path_factory.mktemp("walk")
    notes = home / "notes"
    notes.mkdir()
    (notes / "hotels.md").write_bytes((HANDBOOK / "travel" / "hotels-and-allowances.md").read_bytes())
    (notes / "berths.pdf").write_bytes(pdf("Rules of the harbour.", "A guest berth costs 34 euros a night."))
    with served(Command(home), *WRITABLE) as found:
        yield found


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    with browsing(tmp_path / "browser") as opened:
        yield opened
        assert opened.said == [], "refused by the Content-Security-Policy, or an error of the script"


def seen(tab: Tab) -> None:
    """A view, dark and light, that everybody can use and that need not be scrolled sideways."""
    for scheme in ("dark", "light"):
        tab.page.emulate_media(color_scheme=scheme)
        assert tab.violations() == []
    root = "document.documentElement"
    assert tab.run(f"{root}.scrollWidth <= {root}.clientWidth")


def ask(tab: Tab, question: str) -> Locator:
    """What the page says to a question, as soon as it has an answer."""
    asked = tab.page.locator(".turn").count()
    tab.page.get_by_label("Your question").fill(question)
    tab.page.keyboard.press("Enter")
    turn = tab.page.locator(".turn").nth(asked)
    expect(turn.get_by_role("button", name="Useful", exact=True)).to_be_visible(timeout=SLOW)
    return turn


@widths
def test_a_question_is_asked_checked_followed_up_and_judged(tab: Tab, url: str, width: int) -> None:
    sent = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    tab.open(url, width)
    seen(tab)
    answer = ask(tab, BERTH)
    expect(answer).to_contain_text("34 euros a night")
    quote = answer.locator("blockquote").filter(has_text="34 euros")
    expect(quote).to_be_hidden()
    answer.get_by_role("button", name="Citation 1").click()
    expect(quote).to_be_visible()
    expect(answer.locator(".note").first).to_contain_text(re.compile("berths.pdf.*page 2"))
    seen(tab)
    answer.get_by_role("button", name="Useful", exact=True).click()
    expect(answer).to_contain_text("Thank you")

    ask(tab, LONDON)
    followed = ask(tab, "And in Lisbon?")
    expect(followed.locator(".note").first).to_contain_text("hotels.md")
    expect(followed.locator(".note").first).to_contain_text("Hotel limits")
    assert [one.get("previous") for one in sent if "question" in one][0] == ""
    assert re.search(r"#(\w+)$", tab.page.url)
    followed.get_by_role("button", name="Not useful").click()
    followed.get_by_label("What would have been right?").fill("130 EUR")
    seen(tab)
    followed.get_by_role("button", name="Save").click()
    expect(followed).to_contain_text("Thank you")
    assert sent[-1] == {"useful": False, "answer": "130 EUR"}
