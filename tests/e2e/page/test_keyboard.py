"""The page by keyboard alone, on a small window, in three languages, and by its address."""

import json

import pytest

from tests.support.infra.tools import ROOT
from tests.support.page.browsing import Tab
from tests.support.page.said import saying, saying_each

FOCUS = "document.activeElement"


def reached(tab: Tab, selector: str, most: int = 40) -> None:
    """Press Tab until the focus is on it."""
    for _ in range(most):
        if tab.run(f"{FOCUS}.matches({json.dumps(selector)})"):
            return
        tab.press("Tab")
    raise AssertionError(f"{selector} is not reached by Tab")


def stops(tab: Tab) -> list[str]:
    """Return the elements that Tab focuses until it returns or leaves the page; each must show its focus."""
    found: list[str] = []
    # The field has the focus as the page opens: begin before the first control.
    tab.run("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); null")
    while True:
        tab.press("Tab")
        here = tab.run(f"{FOCUS}.id || {FOCUS}.className || {FOCUS}.tagName")
        if here in ("BODY", "HTML") or (found and tab.run(f"{FOCUS} === window.first")):
            return found
        if not found:
            tab.run(f"window.first = {FOCUS}; null")
        outlined = "(one) => getComputedStyle(one).outlineStyle !== 'none'"
        assert tab.run(f"[{FOCUS}, {FOCUS}.parentElement].some({outlined})"), here
        found.append(here)
        assert len(found) < 60, f"a trap: {found[-8:]}"


def test_everything_is_done_by_keyboard_alone(tab: Tab) -> None:
    with saying("Fact.") as url:
        tab.open(url)
        reached(tab, "#question")
        tab.tell("Input.insertText", text="What?")
        tab.press("Enter")
        tab.until("document.querySelector('#key-dialog').open")
        assert tab.run(f"{FOCUS}.id") == "key"
        tab.tell("Input.insertText", text="the-key")
        tab.press("Enter")
        tab.until("document.querySelector('.feedback')")
        assert tab.run("document.querySelector('[role=status]').textContent") == "The answer is ready."
        tab.run("document.activeElement.blur()")
        reached(tab, ".cite")
        tab.press("Enter")
        assert tab.run(f"[{FOCUS}.closest('#source') !== null, byId('source').hidden]") == [True, False]
        tab.press("j")
        assert tab.run(f"{FOCUS}.textContent") == "Source 2 of 2"
        tab.press("k")
        assert tab.run(f"{FOCUS}.textContent") == "Source 1 of 2"
        tab.press("Escape")
        assert tab.run(f"[{FOCUS}.classList.contains('cite'), byId('source').hidden]") == [True, True]
        reached(tab, ".feedback button:nth-of-type(3)")
        tab.press("Enter")
        tab.until("document.querySelector('.feedback .good')")
        assert tab.run(f"{FOCUS}.className") == "feedback"
        reached(tab, "#show-documents", 60)
        tab.press("Enter")
        tab.until("document.querySelector('[data-id]')")
        reached(tab, "#list button")
        tab.press("Enter")
        tab.press("Enter")
        tab.until("!document.querySelector('#list button')")
        assert tab.run(f"{FOCUS}.tagName") == "TR"


def test_shortcuts_work_except_while_typing(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        tab.run("document.activeElement.blur()")
        tab.press("/")
        assert tab.run(f"{FOCUS}.id") == "question"
        tab.press("n")
        assert tab.run("[byId('question').value, turns.length]") == ["n", 1]
        tab.run("document.activeElement.blur()")
        tab.press("?")
        assert tab.run("byId('shortcuts').open")
        tab.press("Escape")
        tab.until("!byId('shortcuts').open")
        tab.press("n")
        assert tab.run(f"[turns.length, location.hash, {FOCUS}.id]") == [0, "", "question"]


def test_tab_traverses_the_page_with_visible_focus(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        found = stops(tab)
        assert found[:4] == ["home", "begin-anew", "show-history", "show-documents"]
        assert len([one for one in found if one.startswith("cite")]) == 2
        assert {"question", "language"} <= set(found)


@pytest.mark.parametrize("width", [640, 320])
def test_content_stays_usable_at_two_and_four_times_zoom(tab: Tab, width: int) -> None:
    look = (ROOT / "tests/support/page/inspected.js").read_text(encoding="utf-8")
    # The widths of 1280 pixels at 200% and 400% zoom (WCAG 1.4.10).
    with saying_each(["Fact number one of the documents. " * 40]) as url:
        tab.open(f"{url}/#case-0", width)
        tab.until("turns.length")
        tab.run("document.querySelectorAll('.turn details').forEach((one) => { one.open = true; })")
        assert tab.run(f"{look}; inspected(byId('turns'))") == []
        high = "[...document.querySelectorAll('nav button')].map((one) => one.getBoundingClientRect().height)"
        assert max(tab.run(high)) < 48, "a word is broken"


def test_animations_are_disabled_for_reduced_motion(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        tab.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        names = "[getComputedStyle(one).animationName, getComputedStyle(one).transitionDuration]"
        tab.run("document.body.style.animation = 'spin 1s'; null")
        assert tab.run(f"[...document.querySelectorAll('*')].every((one) => {names}.join() === 'none,0s')")


def test_forced_colours_keep_bars_and_current_item_visible(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        tab.tell("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
        assert tab.run("getComputedStyle(document.querySelector('.bar')).borderTopWidth") != "0px"
        assert tab.run("getComputedStyle(document.querySelector('[aria-current]')).outlineStyle") == "solid"


@pytest.mark.parametrize("control", [0, 2])
def test_enter_asks_and_with_shift_begins_a_line(tab: Tab, control: int) -> None:
    def enter(modifiers: int) -> None:
        for kind in ("keyDown", "keyUp"):
            code = {"key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
            tab.tell("Input.dispatchKeyEvent", type=kind, modifiers=modifiers, **code)

    with saying_each(["Fact."]) as url:
        tab.open(url)
        tab.write("#question", "What")
        enter(8)
        assert tab.run("[byId('question').value, document.querySelectorAll('.turn').length]") == ["What\n", 0]
        enter(control)
        tab.until("document.querySelectorAll('.turn').length === 1")
