"""The document behind a citation is read next to the answer, at the place that is cited, and its quote is in view."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.page.test_claims import cited, response
from tests.e2e.page.test_walk import BERTH, LONDON, ask, seen
from tests.e2e.test_serve import WRITABLE, Served, served
from tests.support.command import HANDBOOK, Command
from tests.support.documents.files import pdf
from tests.support.page.browsing import Tab
from tests.support.page.replies import opened, replying

# The mark's place in the drawer, and the drawer's own in the window.
PLACES = """(() => {
  const box = (name) => (({ top, bottom }) => ({ top, bottom }))(document.querySelector(name).getBoundingClientRect());
  return { mark: box("#source mark"), drawer: box("#source"), head: box("#source header"), high: innerHeight };
})()"""
LONG = ("Each berth of the harbour has a number, a length and a depth, which the office writes down once a year. ",
        "係留場所には番号と長さと深さがあり、事務所が年に一度記録します。")  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("original")
    notes = home / "notes"
    notes.mkdir()
    (notes / "hotels.md").write_bytes((HANDBOOK / "travel" / "hotels-and-allowances.md").read_bytes())
    (notes / "berths.pdf").write_bytes(pdf("Rules of the harbour.", "A guest berth costs 34 euros a night."))
    with served(Command(home), *WRITABLE) as found:
        yield found


def in_view(tab: Tab) -> None:
    """The mark is within the drawer, below its head, and the drawer within the window; nothing smaller cuts it off."""
    place: dict[str, Any] = tab.run(PLACES)
    mark, drawer = place["mark"], place["drawer"]
    assert place["head"]["bottom"] <= mark["top"] + 1
    if mark["bottom"] - mark["top"] < drawer["bottom"] - place["head"]["bottom"]:
        assert mark["bottom"] <= min(drawer["bottom"], place["high"]) + 1
    between = "(one) => { for (let up = one.parentElement; up.id !== 'source'; up = up.parentElement)"
    cut = f"({between} if (up.scrollHeight > up.clientHeight + 1 && getComputedStyle(up).overflowY !== 'visible') "
    assert tab.run(f"{cut}return up.tagName; return ''; }})(document.querySelector('#source mark'))") == ""


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_quote_of_a_long_passage_is_in_view_whatever_its_length(tab: Tab, width: int) -> None:
    citations = []
    for number in range(20):
        text = LONG[number % 2]
        quote = (text * (1 + number)) if number < 16 else text * 3 * number
        citations.append({**cited(quote, 5 + number), "before": text * 40, "after": text * 40})
    with replying({**response(), "citations": citations}) as address:
        opened(tab, address, width)
        for number in range(20):
            tab.run(f"turns[0].sources.open({number}, document.querySelectorAll('.cite')[{number}])")
            expect(tab.page.locator("#source h2")).to_have_text(f"Source {number + 1} of 20")
            in_view(tab)


def test_a_pdf_stands_beside_the_answer_at_the_page_that_is_cited(tab: Tab, url: Served) -> None:
    tab.open(url.link)
    ask(tab, BERTH).get_by_role("button", name="Source 1").click()
    source = tab.page.locator("#source")
    source.get_by_role("button", name="Open the document").click()
    address = source.locator("iframe").get_attribute("src")
    assert address
    assert address.startswith("/originals/")
    assert address.endswith("#page=2")
    expect(source.locator("iframe")).to_have_attribute("title", "berths.pdf")
    seen(tab)
    answer, frame = tab.page.locator(".answer").bounding_box(), source.locator("iframe").bounding_box()
    assert answer
    assert frame
    assert answer["x"] + answer["width"] <= frame["x"]
    assert frame["height"] > 600
    source.get_by_role("button", name="Source").click()
    expect(source.locator("mark")).to_contain_text("34 euros")
    assert tab.said == []


def test_on_a_phone_a_pdf_has_a_tab_of_its_own(tab: Tab, url: Served) -> None:
    asked: list[str] = []
    tab.page.context.on("request", lambda request: asked.append(request.url))
    tab.open(url.link, 390)
    ask(tab, BERTH).get_by_role("button", name="Source 1").click()
    with tab.page.context.expect_page() as opens:
        tab.page.get_by_role("button", name="Open the document").click()
    tab.until("!document.querySelector('#source iframe')")
    if not [one for one in asked if "/originals/" in one]:
        tab.page.context.wait_for_event("request", lambda request: "/originals/" in request.url)
    assert opens.value.evaluate("opener") is None


@pytest.mark.parametrize("width", [390, 1280])
def test_source_opens_at_quote_as_text_and_closes_on_back(tab: Tab, url: Served, width: int) -> None:
    tab.open(url.link, width)
    ask(tab, LONDON).get_by_role("button", name="Source 1").click()
    source = tab.page.locator("#source")
    quote = source.locator("mark").inner_text()
    source.get_by_role("button", name="Open the document").click()
    expect(source.locator(".text")).to_contain_text("Hotel limits")
    assert source.locator("mark").inner_text() == quote
    in_view(tab)
    seen(tab)
    tab.press("Escape")
    expect(source).to_be_hidden()
    assert tab.run("turns.length") == 1
    assert tab.said == []


def test_long_source_loads_in_both_directions_and_never_as_markup(tab: Tab, tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(250)]
    hostile = "<img src=x onerror=window.ran=1>"

    def text(route: Route) -> None:
        start = 70 if "around" in route.request.url else int(route.request.url.rpartition("=")[2])
        passages = [
            {"passage_id": name, "heading": hostile, "page": None, "locator": "", "text": f"{hostile} passage {name}."}
            for name in names[start : start + 100]
        ]
        route.fulfill(json={"start": start, "total": 250, "passages": passages})

    citation = {**cited(f"passage {names[120]}.", 10), "passage_id": names[120], "document_id": "0" * 32, "before": ""}
    with replying({**response(), "citations": [citation]}) as address:
        tab.page.route("**/text?**", text)
        opened(tab, address)
        source = tab.page.locator("#source")
        source.get_by_role("button", name="Open the document").click()
        expect(source.locator("mark")).to_have_text(f"passage {names[120]}.")
        in_view(tab)
        top = "document.querySelectorAll('.text section')[{}].getBoundingClientRect().top"
        before = tab.run(f"document.querySelector('#source').scrollTop = 0; {top.format(0)}")
        source.get_by_role("button", name="Previous").click()
        expect(source.locator(".text section")).to_have_count(170)
        assert abs(tab.run(top.format(70)) - before) < 60, "what is read stays where it is, but for the button above"
        source.get_by_role("button", name="Next").click()
        expect(source.locator(".text section")).to_have_count(250)
        shown = tab.run("[...document.querySelectorAll('.text section')].map((one) => one.lastChild.textContent)")
        assert shown == [f"{hostile} passage {name}." for name in names]
        expect(source.get_by_role("button", name="Next")).to_be_hidden()
        assert tab.run("'ran' in window") is False
        assert json.loads(tab.run("JSON.stringify([...document.querySelectorAll('#source img')])")) == []
