"""A link that opens an answer again."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.page.browsing import Tab
from tests.support.page.said import saying_each

ASKED = "document.querySelector('.asked').textContent"
TEXTS = ["Fact one.", "Fact two."]


def test_link_opens_answer_and_question_becomes_tab_title(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        assert tab.run(ASKED) == TEXTS[0]
        assert tab.run("document.title") == f"{TEXTS[0]} · selfrag"
        assert tab.run("document.querySelector('.answer').textContent").startswith("Fact one.")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_link_to_a_source_opens_it_beside_its_answer(tab: Tab, width: int) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-0/2", width)
        tab.until("!byId('source').hidden")
        assert tab.run("document.querySelector('#source h2').textContent") == "Source 2 of 2"
        assert tab.run(ASKED) == TEXTS[0]
        tab.page.goto(f"{url}/#case-0/1")
        tab.until("drawn.at === 0")


def test_answer_stored_without_question_shows_its_id(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#old-0")
        tab.until("turns.length")
        assert tab.run(ASKED) == "An earlier answer: old-0"


def test_a_conversation_is_there_again_after_a_reload(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(url)
        for number, question in enumerate(["What is one?", "And two?"], 1):
            tab.write("#question", question)
            tab.press("Enter")
            tab.until(f"turns.length === {number}")
        tab.reload()
        tab.until("turns.length === 2")
        questions = tab.run("[...document.querySelectorAll('.asked')].map((one) => one.textContent)")
        assert questions == ["What is one?", "And two?"]
        assert not [address for address in tab.requests if "What" in address]


def asked(tab: Tab, number: int, question: str) -> None:
    """Ask, and wait for the answer of this number."""
    tab.write("#question", question)
    tab.press("Enter")
    tab.until(f"turns.length === {number}")


def shown(tab: Tab) -> Any:
    return tab.run("[...document.querySelectorAll('.asked')].map((one) => one.textContent)")


def test_back_and_forward_move_between_answers(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(url)
        asked(tab, 1, "What is one?")
        asked(tab, 2, "And two?")
        tab.page.go_back()
        tab.until("turns.length === 1")
        assert (shown(tab), tab.run("location.hash")) == (["What is one?"], "#case-0")
        assert tab.run("document.querySelector('.turn').classList.contains('folded')") is False
        assert tab.run("document.title").startswith("What is one?")
        tab.page.go_back()
        tab.until("turns.length === 0")
        assert (tab.run("location.hash"), tab.run("byId('welcome').hidden")) == ("", False)
        tab.page.go_forward()
        tab.page.go_forward()
        tab.until("turns.length === 2")
        assert shown(tab) == ["What is one?", "And two?"]


def test_views_have_addresses_that_back_escape_and_a_reload_heed(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(url)
        asked(tab, 1, "What is one?")
        for name in ("documents", "history"):
            tab.click(f"#show-{name}")
            assert tab.run("location.hash") == f"#{name}"
            tab.reload()
            tab.until(f"!byId('{name}').hidden && byId('asking').hidden")
            assert "selfrag" in tab.run("document.title")
            tab.page.go_back()
            tab.until("!byId('asking').hidden && turns.length === 1")
            assert shown(tab) == ["What is one?"]
        tab.click("#show-documents")
        tab.click("#show-history")
        tab.press("Escape")
        tab.until("!byId('asking').hidden")
        assert (tab.run("location.hash"), shown(tab)) == ("#case-0", ["What is one?"])


@pytest.mark.parametrize("width", [390, 1280])
def test_back_closes_a_source_that_was_opened_and_leaves_the_answer(tab: Tab, width: int) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-0", width)
        tab.until("turns.length")
        tab.run("closeSource()")
        entries = tab.run("history.length")
        for leave in (tab.page.go_back, lambda: tab.press("Escape")):
            tab.click(".cite")
            tab.until("!byId('source').hidden")
            leave()
            tab.until("byId('source').hidden && !history.state?.drawer")
            assert tab.run("[location.hash, turns.length]") == ["#case-0", 1]
        assert tab.run("history.length") <= entries + 1
        tab.click(".cite")
        asked(tab, 2, "And two?")
        tab.page.go_back()
        tab.until("turns.length === 1")


def test_history_has_conversations_with_their_first_questions_as_titles(tab: Tab) -> None:
    with saying_each([*TEXTS, "Fact three.", "Fact four."]) as url:
        tab.open(url)
        for number, question in enumerate(("Hotel in London?", "And in Lisbon?", "And by train?"), 1):
            asked(tab, number, question)
        tab.click("#begin-anew")
        asked(tab, 1, "How many days of leave?")
        tab.click("#show-history")
        threads = tab.page.locator("#asked-before > li")
        assert [thread.locator("a").all_inner_texts() for thread in threads.all()] == [
            ["How many days of leave?"], ["Hotel in London?", "And in Lisbon?", "And by train?"],
        ]  # fmt: skip
        assert tab.violations() == []
        tab.page.get_by_text("And in Lisbon?").click()
        tab.until("turns.length === 2")
        assert shown(tab) == ["Hotel in London?", "And in Lisbon?"]
        tab.click("#show-history")
        assert threads.nth(1).locator("a").all_inner_texts()[-1] == "And by train?", "a look changes no order"
        threads.nth(1).get_by_role("button", name="Delete Hotel in London?").click()
        expect(threads).to_have_count(1)


def test_a_failed_question_stays_while_another_view_is_looked_at(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(url)
        tab.page.route("**/v1/ask", lambda route: route.fulfill(status=500, json={"detail": "Broken."}))
        tab.write("#question", "What?")
        tab.press("Enter")
        expect(tab.page.locator(".failure")).to_be_visible()
        tab.click("#show-documents")
        tab.page.go_back()
        expect(tab.page.locator(".failure")).to_be_visible()


def test_missing_or_foreign_answer_clears_address_and_shows_message(tab: Tab) -> None:
    with saying_each(["There is no such question."]) as url:
        tab.open(f"{url}/#bad-0")
        tab.until("document.querySelector('.turn .bad')")
        assert "no such question" in tab.run("document.querySelector('#told').textContent")
        assert tab.run("location.hash") == "#bad-0"
        tab.click("#begin-anew")
        assert tab.run("[location.hash, document.querySelectorAll('.turn').length]") == ["", 0]


@pytest.mark.parametrize("junk", ["<img src=x>", "javascript:1", "../../v1/documents", "a" * 81, "%00", "%E0%A4%A"])
def test_junk_behind_the_page_is_asked_of_nobody(tab: Tab, junk: str) -> None:
    with saying_each(TEXTS) as url:
        tab.open(url)
        tab.run(f"location.hash = {junk!r}; null")
        assert tab.until("document.querySelector('#told').textContent") == "This link leads to no answer."
        assert not [address for address in tab.requests if "/v1/questions" in address]
        assert tab.said == []


def test_late_answer_stays_out_of_a_new_conversation(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-1")
        tab.until("turns.length")
        tab.write("#question", "What?")
        tab.press("Enter")
        tab.until("document.querySelectorAll('.turn').length === 2 && turns.length === 1")
        tab.click("#begin-anew")
        tab.until("!document.querySelector('#question-form [type=submit]').disabled")
        assert tab.run("[turns.length, location.hash]") == [0, ""]
