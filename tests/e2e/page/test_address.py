"""A link that opens an answer again."""

import pytest

from tests.support.page.browsing import Tab
from tests.support.page.said import saying_each

ASKED = "document.querySelector('.asked').textContent"
TEXTS = ["Fact one.", "Fact two."]


def test_a_link_opens_an_answer_with_its_question_and_the_tab_is_called_so(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        assert tab.run(ASKED) == TEXTS[0]
        assert tab.run("document.title") == f"{TEXTS[0]} · selfrag"
        assert tab.run("document.querySelector('.answer').textContent").startswith("Fact one.")


def test_an_answer_of_before_questions_were_kept_with_answers_has_its_id_in_their_place(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#old-0")
        tab.until("turns.length")
        assert tab.run(ASKED) == "An earlier answer: old-0"


def test_back_and_forward_go_from_answer_to_answer(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        for go, answer in (("location.hash = 'case-1'", "case-1"), ("history.back()", "case-0")):
            tab.run(f"{go}; null")
            tab.until(f"turns.length === 1 && turns[0].response.id === '{answer}'")
            assert tab.run("location.hash") == f"#{answer}"
        tab.run("history.forward()")
        tab.until("turns.length === 1 && turns[0].response.id === 'case-1'")


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


def test_an_answer_that_is_not_there_or_is_somebody_elses_leaves_its_address_and_says_so(tab: Tab) -> None:
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


def test_what_comes_after_a_new_conversation_was_begun_is_no_part_of_it(tab: Tab) -> None:
    with saying_each(TEXTS) as url:
        tab.open(f"{url}/#case-1")
        tab.until("turns.length")
        tab.write("#question", "What?")
        tab.press("Enter")
        tab.until("document.querySelectorAll('.turn').length === 2 && turns.length === 1")
        tab.click("#begin-anew")
        tab.until("!document.querySelector('#question-form [type=submit]').disabled")
        assert tab.run("[turns.length, location.hash]") == [0, ""]
