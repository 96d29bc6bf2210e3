"""The key of the API: asked for where one is needed, kept for the session, and nowhere else."""

from tests.support.page.browsing import Tab
from tests.support.page.said import saying

KEY = "sessionStorage.getItem('selfrag-key')"
OPEN = "document.querySelector('#key-dialog').open"


def given_the_key(tab: Tab, key: str) -> None:
    """Write the key where it is asked for."""
    tab.until(OPEN)
    tab.write("#key", key)
    tab.press("Enter")


def asked(tab: Tab) -> None:
    """Ask a question."""
    tab.write("#question", "What?")
    tab.press("Enter")


def test_token_is_asked_for_before_question_and_upload(tab: Tab) -> None:
    with saying("Fact.", 401, "Open the link that `selfrag serve` has printed.") as url:
        tab.open(url)
        tab.until(OPEN)
        assert tab.run("byId('key-hint').textContent") == "Open the link that `selfrag serve` has printed."
        tab.press("Escape")
        tab.until(f"!{OPEN}")
        tab.run("take([new File(['x'], 'x.md')]), null")
        tab.until(OPEN)
        assert "collection" not in tab.run("byId('told').textContent")
        given_the_key(tab, "the-key")
        tab.until("byId('into').value === 'Fact.'")


def test_a_key_that_is_refused_is_forgotten_and_asked_for_again(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        tab.run("sessionStorage.setItem('selfrag-key', 'an-old-key')")
        asked(tab)
        tab.until(OPEN)
        assert tab.run(KEY) is None
        assert tab.run("document.querySelector('#key-refused').checkVisibility()")
        given_the_key(tab, "another-wrong-key")
        tab.until(f"{OPEN} && {KEY} === null && !document.querySelector('#key').value")
        given_the_key(tab, "the-key")
        tab.until("document.querySelector('.feedback')")
        assert tab.run(KEY) == "the-key"


def test_closing_the_key_dialog_explains_the_missing_answer(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        asked(tab)
        tab.until(OPEN)
        assert not tab.run("document.querySelector('#key-refused').checkVisibility()")
        tab.tell("Input.insertText", text="half-a-k")
        tab.press("Escape")
        tab.until(f"!{OPEN} && document.querySelector('.turn .bad')")
        assert "x-api-key" in tab.run("document.querySelector('#told').textContent")
        assert tab.run("document.activeElement.id") == "question"
        assert tab.run("[document.querySelector('#key').value, sessionStorage.getItem('selfrag-key')]") == ["", None]


def test_key_with_invalid_header_characters_is_rejected(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        asked(tab)
        given_the_key(tab, "ключ")
        assert tab.run(f"[{OPEN}, {KEY}]") == [True, None]


def test_the_key_is_in_the_session_alone(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        asked(tab)
        given_the_key(tab, "the-key")
        tab.until("turns.length")
        elsewhere = "[location.href, JSON.stringify(history.state), document.cookie, JSON.stringify(localStorage), "
        assert "the-key" not in str(tab.run(f"{elsewhere} markdown(turns), document.documentElement.outerHTML]"))
        assert tab.run("Object.values(sessionStorage)").count("the-key") == 1
        assert not [address for address in tab.requests if "the-key" in address]
        assert not [address for address in tab.requests if not address.startswith((url, "data:image/svg+xml,"))]
