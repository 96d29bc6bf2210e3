"""The search scope: folders and documents are ticked by mouse and keyboard, also in long lists."""

import json
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.page.test_keyboard import reached
from tests.support.page.browsing import Tab
from tests.support.page.replies import replying
from tests.support.page.said import response_of

NAMES = [
    *(f"people/rules/{number}.md" for number in range(150)),
    *(f"people/{name}.md" for name in ("leave", "sick leave", "<b>pay")),
    *(f"travel/{name}.md" for name in ("hotels", "trains")),
    "index.md",
    "travel/broken.pdf",
]


def listing(tab: Tab, *collections: str) -> None:
    """Have the API list the documents in each collection, page by page."""
    documents = [
        {"id": f"{place}-{at}", "key": f"{name}/{key}", "collection": name, "title": "", "passages": 1,
         "status": "failed" if key.endswith(".pdf") else "ready",
         "reason": f"{name}/{key} is encrypted." if key.endswith(".pdf") else ""}
        for place, name in enumerate(collections) for at, key in enumerate(NAMES)
    ]  # fmt: skip

    def reply(route: Route) -> None:
        begin = int(route.request.url.partition("cursor=")[2] or 0)
        cursor = str(begin + 100) if begin + 100 < len(documents) else None
        page = {"documents": documents[begin : begin + 100], "collections": collections, "cursor": cursor}
        route.fulfill(json=page)

    tab.page.route("**/v1/documents?**", reply)


def filters(tab: Tab) -> Any:
    return json.loads(tab.run("JSON.stringify(choices().filters)"))


def test_ticked_folder_is_sent_as_one_filter(tab: Tab) -> None:
    sent: list[Any] = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    with replying(response_of("Fact.")) as url:
        listing(tab, "handbook")
        tab.open(url)
        expect(tab.page.locator("#invitation")).to_have_text("Ask your 156 documents")
        tab.page.get_by_text("Search options").click()
        scope = tab.page.locator("#scope")
        expect(tab.page.locator("#options textarea")).to_have_count(0)
        assert "JSON" not in tab.run("byId('options').textContent")
        people = scope.get_by_role("checkbox", name="people 153")
        scope.get_by_role("button", name="people", exact=True).click()
        scope.get_by_role("checkbox", name="sick leave.md").check()
        assert people.evaluate("(box) => [box.checked, box.indeterminate]") == [False, True]
        assert filters(tab) == {"documents": ["handbook/people/sick leave.md"]}
        people.check()
        scope.get_by_role("checkbox", name="index.md").check()
        assert filters(tab) == {"documents": ["handbook/people/", "handbook/index.md"]}
        scope.get_by_role("checkbox", name="sick leave.md").uncheck()
        assert filters(tab)["documents"] == [
            "handbook/people/rules/", "handbook/people/leave.md", "handbook/people/<b>pay.md", "handbook/index.md",
        ]  # fmt: skip
        expect(scope).not_to_contain_text("broken.pdf")
        expect(tab.page.locator("#options summary")).to_contain_text("153")
        assert tab.violations() == []
        tab.write("#question", "What?")
        tab.press("Enter")
        expect(tab.page.locator(".answer")).to_be_visible()
        assert len(sent[-1]["filters"]["documents"]) == 4
        assert sent[-1]["policy"] == {"strategy": "self_rag"}


def test_more_than_a_request_takes_is_said_and_nothing_is_asked(tab: Tab) -> None:
    with replying(response_of("Fact.")) as url:
        listing(tab, "handbook")
        tab.open(url)
        expect(tab.page.locator("#invitation")).to_contain_text("156")
        tab.run("known.documents.slice(0, 149).forEach(({ id }) => ticked.add(id)); null")
        tab.write("#question", "What?")
        tab.press("Enter")
        expect(tab.page.locator("#told")).to_have_text("Tick at most 100, or whole folders.")
        expect(tab.page.locator(".turn")).to_have_count(0)


def test_document_is_filtered_by_name_and_ticked_by_keyboard(tab: Tab) -> None:
    with replying(response_of("Fact.")) as url:
        listing(tab, "handbook~0123abcd", "notes")
        tab.open(url, 320)
        tab.page.get_by_text("Search options").click()
        scope = tab.page.locator("#scope")
        expect(scope.get_by_role("checkbox")).to_have_count(2)
        scope.get_by_role("checkbox", name="notes 156").check()
        assert filters(tab) == {"collections": ["notes"]}
        scope.get_by_role("checkbox", name="notes 156").uncheck()
        assert filters(tab) == {}
        tab.write("#find-scope", "HOTELS")
        expect(scope.get_by_role("checkbox")).to_have_count(2)
        tab.page.locator("#find-scope").focus()
        reached(tab, "#scope input", 3)
        tab.press("Space")
        assert filters(tab) == {"documents": ["handbook~0123abcd/travel/hotels.md"]}
        tab.write("#find-scope", "trave")
        reached(tab, "#scope button", 3)
        tab.press("Enter")
        expect(scope).to_contain_text("trains.md")
        tab.write("#find-scope", "zzz")
        expect(scope).to_have_text("Nothing was found.")
        root = "document.documentElement"
        assert tab.run(f"{root}.scrollWidth <= {root}.clientWidth")
        assert tab.violations() == []


def test_many_documents_are_counted_by_state_and_stand_in_folders_with_addresses(tab: Tab) -> None:
    with replying(response_of("Fact.")) as url:
        listing(tab, "handbook")
        tab.open(f"{url}/#documents")
        rows = tab.page.locator("#list tr:visible")
        expect(tab.page.locator("#counts")).to_have_text("156 ready1 cannot be read")
        expect(rows).to_have_count(4)
        tab.page.get_by_role("button", name="travel").click()
        expect(rows).to_have_count(7)
        assert tab.run("location.hash") == "#documents/travel"
        assert tab.run("document.activeElement.textContent") == "travel"
        failed = rows.filter(has_text="broken.pdf")
        expect(failed.locator(".bad").first).to_have_text("The file is encrypted.")
        tab.reload()
        expect(rows).to_have_count(7)
        assert tab.violations() == []
        tab.page.go_back()
        expect(rows).to_have_count(4)
        tab.page.get_by_role("button", name="1 cannot be read").click()
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("broken.pdf")
        tab.page.locator("#find-documents").fill("travel/")
        expect(rows).to_have_count(3)


@pytest.mark.parametrize("strategy", ["candidates", "segments"])
def test_the_strategies_that_compare_are_offered_and_asked_for(tab: Tab, strategy: str) -> None:
    sent: list[Any] = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    with replying(response_of("Fact.")) as url:
        tab.open(url)
        tab.page.get_by_text("Search options").click()
        tab.page.get_by_label("Way of answering").select_option(strategy)
        tab.write("#question", "What?")
        tab.click("#question-form [type=submit]")
        expect(tab.page.get_by_role("button", name="Useful", exact=True)).to_be_visible()
    assert [one["policy"]["strategy"] for one in sent] == [strategy]
