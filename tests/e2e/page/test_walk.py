"""A walk through the page, at widths of a phone and a desktop, dark and light.

Chromium is Debian's chromium-headless-shell, which `make install` installs by apt-get if root may; Playwright, a
development dependency, drives it. Without Chromium these tests are skipped, except in CI.
"""

import os
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Locator, Route, expect
from rich.console import Console

from selfrag_cli.show.answers import show_response
from tests.e2e.test_serve import WRITABLE, Served, served
from tests.support.command import HANDBOOK, Command
from tests.support.documents.files import pdf
from tests.support.page.browsing import Tab, browsing
from tests.support.words import ASKED_IN, NOT_FOUND_IN

BERTH, LONDON = "What does a guest berth cost a night?", "What is the hotel limit per night in London?"
CRANE = "How much does the harbour crane lift?"
# A generous timeout: nothing here is timed.
expect.set_options(timeout=60_000)
# A narrow window shows overflow; `make test-long` has the wide one too.
widths = pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the page over a directory that it may change, answered by the stand-in."""
    home = tmp_path_factory.mktemp("walk")
    notes = home / "notes"
    notes.mkdir()
    (notes / "hotels.md").write_bytes((HANDBOOK / "travel" / "hotels-and-allowances.md").read_bytes())
    (notes / "berths.pdf").write_bytes(pdf("Rules of the harbour.", "A guest berth costs 34 euros a night."))
    command = Command(home)
    # A question that is asked twice finds the same passages: the vectors are complete from the start.
    assert command("ingest", "notes", "--collection", "notes").code == 0
    with served(command, *WRITABLE) as found:
        yield found


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browsing() as opened:
        yield opened
        assert opened.said == [], "refused by the Content-Security-Policy, or an error of the script"


def seen(tab: Tab) -> None:
    """A view, dark and light, that everybody can use and that need not be scrolled sideways."""
    for scheme in ("dark", "light"):
        tab.page.emulate_media(color_scheme=scheme)
        assert tab.violations() == []
    root = "document.documentElement"
    assert tab.run(f"{root}.scrollWidth <= {root}.clientWidth")


def pictured(tab: Tab, name: str) -> None:
    """Keep a picture for docs/ of the window, where SELFRAG_PICTURES names a folder."""
    folder, size = os.environ.get("SELFRAG_PICTURES"), tab.page.viewport_size
    if not folder or not size:
        return
    phone = size["width"] < 600
    tab.page.emulate_media(color_scheme="dark" if phone else "light")
    Path(folder, f"page-{name}{'-phone' if phone else ''}.png").write_bytes(tab.page.screenshot())


def ask(tab: Tab, question: str) -> Locator:
    """Return the page's answer to a question."""
    asked = tab.page.locator(".turn").count()
    tab.page.get_by_label("Your question").fill(question)
    tab.page.keyboard.press("Enter")
    turn = tab.page.locator(".turn").nth(asked)
    expect(turn.get_by_role("button", name="Useful", exact=True)).to_be_visible()
    return turn


def in_view(tab: Tab, turn: Locator) -> None:
    """The first line of a new answer and the field are on the screen, and the field is ready for the next question."""
    answer, field = turn.locator(".answer").bounding_box(), tab.page.locator("#question").bounding_box()
    assert answer
    assert field
    assert tab.page.viewport_size
    assert 0 <= answer["y"] < field["y"] < tab.page.viewport_size["height"]


@widths
def test_a_question_is_asked_checked_followed_up_and_judged(tab: Tab, url: Served, width: int) -> None:
    sent = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    tab.open(url.link, width)
    seen(tab)
    tab.page.get_by_text("Search options").click()
    expect(tab.page.get_by_label("Tags")).to_be_visible()
    expect(tab.page.get_by_role("checkbox", name="berths.pdf")).to_be_visible()
    seen(tab)
    answer = ask(tab, LONDON)
    expect(answer.locator(".notice")).to_contain_text(
        "Found word for word in the source. No model is connected, so none checked whether it answers the question."
    )
    expect(answer.locator("strong.good, strong.some, strong.bad")).to_have_count(0)
    expect(answer).not_to_contain_text("upported")
    source = tab.page.get_by_role("complementary", name="Source of a sentence")
    if width < 600:
        expect(source).to_be_hidden()  # it would cover the answer on a phone
    answer.get_by_role("button", name="Source 1").click()
    expect(source.locator("blockquote")).to_contain_text("London")
    expect(source).to_contain_text(re.compile("hotels.md.*Hotel limits"))
    expect(answer.locator(".said.lit")).to_contain_text("London")
    seen(tab)
    pictured(tab, "answer")
    answer.get_by_role("button", name="Useful", exact=True).click()
    expect(answer).to_contain_text("Thank you")

    assert tab.page.locator("#question").get_attribute("placeholder") == "Ask a follow-up"
    followed = ask(tab, "And in Lisbon?")
    expect(followed.locator(".cards")).to_contain_text("hotels.md")
    expect(answer.get_by_role("button", name="Useful", exact=True)).to_be_hidden()
    in_view(tab, followed)
    followed.get_by_role("button", name="Not useful").click()
    followed.get_by_label("What would have been right?").fill("130 EUR")
    seen(tab)
    followed.get_by_role("button", name="Save").click()
    expect(followed).to_contain_text("Thank you")
    assert sent[-1] == {"useful": False, "answer": "130 EUR"}

    berth = ask(tab, BERTH)
    berth.get_by_role("button", name="Source 1").click()
    expect(source).to_contain_text(re.compile("berths.pdf.*page 2"))
    in_view(tab, berth)
    asked = [one["previous"] for one in sent if "question" in one]
    assert (asked[0], len(set(asked))) == ("", 3), "each question follows the one before"


@widths
def test_a_file_is_dropped_asked_about_deleted_and_then_not_found(
    tab: Tab, url: Served, width: int, tmp_path: Path
) -> None:
    fact, broken = f"The harbour crane lifts {width} tonnes.", tmp_path / f"broken{width}.pdf"
    crane = tmp_path / f"crane{width}.md"
    crane.write_text(f"# Cranes\n\n{fact}\n", encoding="utf-8")
    broken.write_bytes(b"no PDF")
    tab.open(url.link, width)
    nothing = ask(tab, CRANE)
    expect(nothing).to_contain_text("Not found in the documents.")
    expect(nothing.locator(".bad")).to_have_count(0)
    expect(nothing.get_by_role("heading", name="Nearest passages")).to_be_visible()
    expect(nothing.locator(".near blockquote").first).to_be_visible()
    expect(nothing).to_contain_text("Searched for: ")
    nothing.get_by_role("button", name="Add a document").scroll_into_view_if_needed()
    seen(tab)

    tab.page.get_by_role("navigation").get_by_role("button", name="Documents").click()
    rows, uploads = tab.page.locator("#list tr"), tab.page.locator("#uploads li")
    expect(rows.filter(has_text="hotels.md")).to_contain_text("ready")
    tab.drop("#drop", broken)
    expect(uploads.filter(has_text=broken.name)).to_contain_text("cannot be read")
    tab.drop("#drop", crane)
    expect(uploads.filter(has_text=crane.name)).to_be_visible()
    seen(tab)
    expect(uploads.filter(has_text=crane.name)).to_contain_text("ready")
    expect(rows.filter(has_text=broken.name)).to_contain_text("not a PDF")
    seen(tab)
    if width > 600:
        pictured(tab, "documents")

    tab.click("#home")
    expect(ask(tab, CRANE)).to_contain_text(fact)

    tab.page.get_by_role("navigation").get_by_role("button", name="Documents").click()
    for name in (crane.name, broken.name):
        row = rows.filter(has_text=name)
        row.get_by_role("button", name="Delete").click()
        row.get_by_role("button", name="Really delete?").click()
        expect(row).to_have_count(0)
    tab.click("#home")
    tab.page.get_by_role("button", name="New", exact=True).click()
    expect(ask(tab, CRANE)).to_contain_text("Not found in the documents.")


def test_a_collection_that_scaled_to_zero_starts_as_the_page_opens(tab: Tab, url: Served) -> None:
    with tab.page.expect_response("**/v1/ready") as ready:
        tab.open(url.link)
    assert ready.value.status == 200


def test_a_file_that_no_bucket_took_is_said_to_be_not_sent(tab: Tab, url: Served, tmp_path: Path) -> None:
    def lead_elsewhere(route: Route) -> None:
        given = route.fetch()
        upload = {**given.json()["upload"], "url": "http://bucket.example/notes/crane.md"}
        route.fulfill(response=given, json={**given.json(), "upload": upload})

    crane = tmp_path / "crane.md"
    crane.write_text("# Cranes\n", encoding="utf-8")
    tab.open(url.link)
    tab.page.get_by_role("navigation").get_by_role("button", name="Documents").click()
    for path, answered in (
        ("**/uploads/*", lambda route: route.fulfill(status=412)),
        ("**/uploads/*", lambda route: route.abort()),
        ("**/v1/documents", lead_elsewhere),
    ):
        tab.page.route(path, answered)
        tab.drop("#drop", crane)
        expect(tab.page.locator("#uploads li").first).to_contain_text("The file could not be sent. Try again.")
        tab.page.unroute(path)
        tab.page.locator("#uploads").evaluate("(rows) => rows.replaceChildren()")
    assert {"bucket.example" in said for said in tab.said} == {True}, "it is no bucket of this page"
    tab.said.clear()


def test_a_citation_names_the_document_that_the_list_has(url: Served) -> None:
    with httpx2.Client(base_url=url, headers=url.key, timeout=60) as api:
        listed = {one["id"]: one for one in api.get("/v1/documents").json()["documents"]}
        [citation, *_] = api.post("/v1/ask", json={"question": BERTH}).json()["citations"]
        document = listed[citation["document_id"]]
        assert (document["key"], document["collection"]) == (
            f"{citation['collection']}/{citation['document']}", citation["collection"],
        )  # fmt: skip
        text = api.get(f"/v1/documents/{document['id']}/text", params={"around": citation["passage_id"]}).json()
        assert [citation["quote"] in one["text"] for one in text["passages"]].count(True) == 1
        nearest = api.post("/v1/ask", json={"question": CRANE}).json()["nearest"]
        assert {one["document_id"] for one in nearest} <= set(listed)


def test_abstention_uses_question_language_in_terminal_response_and_page(tab: Tab, url: Served) -> None:
    tab.open(url.link)
    with httpx2.Client(base_url=url, headers=url.key, timeout=60) as api:
        for language, question in ASKED_IN.items():
            response = api.post("/v1/ask", json={"question": question}).json()
            assert response["status"] == "abstained"
            assert response["answer"].startswith(NOT_FOUND_IN[language])
            assert question in response["answer"]
            printed = StringIO()
            show_response(Console(file=printed, width=1000), response, [])
            assert printed.getvalue().startswith(f"abstained\n{response['answer']}\n")
            expect(ask(tab, question).locator(".answer")).to_have_text(response["answer"])
