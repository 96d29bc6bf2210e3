"""Text of documents, models and strangers stays plain text on the page."""

import json
from typing import Any

import pytest

from tests.support.infra.tools import ROOT
from tests.support.page.browsing import Tab
from tests.support.page.hostile import CASES
from tests.support.page.said import saying_each

LOOK = (ROOT / "tests/support/page/inspected.js").read_text(encoding="utf-8")
# But for the button that shows all of a long question.
TAGS = "[...root.querySelectorAll('*:not(.unclamp)')].map((one) => one.tagName)"
# The page's icon, and what Chromium draws fields for dates with.
ITS_OWN = ("data:image/svg+xml",)
WIDTHS = pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])


def looking(tab: Tab, url: str, width: int) -> None:
    """Open the page; blocked requests and Trusted Types violations are counted."""
    count = "window.refused = []; addEventListener('securitypolicyviolation', (one) => refused.push(one.blockedURI));"
    tab.page.add_init_script(count)
    tab.open(url, width)
    tab.run(f"{LOOK}; null")


def found(tab: Tab, address: str, look: str, text: str = "") -> Any:
    """Return the result of a script at the view of an address, with everything unfolded and the first source open."""
    tab.run(f"location.hash = {json.dumps(address)}; null")
    shown = f"document.querySelector('.turn')?.dataset.id === {json.dumps(address)}"
    tab.until(f"{shown} && !document.querySelector('[aria-busy]')")
    unfold = "root.querySelectorAll('details').forEach((one) => { one.open = true; })"
    unfold += "; root.querySelector('.cite')?.click()"
    return tab.run(f"((root, text) => {{ {unfold}; return {look}; }})(byId('turns'), {json.dumps(text)})")


def nothing_ran(tab: Tab, url: str) -> None:
    """Neither a script nor a dialog nor a window came of it, nor a request to elsewhere; nothing had to be refused."""
    assert tab.said == []
    assert tab.run("refused") == []
    assert not [address for address in tab.requests if not address.startswith((f"{url}/", *ITS_OWN))]
    assert tab.page.context.pages == [tab.page]


@WIDTHS
def test_an_answer_of_hostile_texts_is_shown_as_text_and_breaks_nothing(tab: Tab, width: int) -> None:
    with saying_each(["Fact.", *CASES.values()]) as url:
        looking(tab, url, width)
        harmless, wrong = found(tab, "case-0", TAGS), {}
        for at, (name, text) in enumerate(CASES.items(), 1):
            look = f"[{TAGS}, [...wrongTexts(root, text), ...(closeSource(), inspected(root))]]"
            tags, wrong[name] = found(tab, f"case-{at}", look, text)
            # A text of several sentences has a part for each.
            wrong[name] += ["other elements"] if not set(tags) <= set(harmless) else []
        assert {name: one for name, one in wrong.items() if one} == {}
        nothing_ran(tab, url)


@WIDTHS
def test_hostile_texts_in_abstention_and_history_are_shown_as_text(tab: Tab, width: int) -> None:
    texts = ["Fact.", *CASES.values()]
    with saying_each(texts) as url:
        looking(tab, url, width)
        harmless, wrong = found(tab, "none-0", TAGS), {}
        for at, (name, text) in enumerate(CASES.items(), 1):
            tags, wrong[name] = found(tab, f"none-{at}", f"[{TAGS}, inspected(root)]", text)
            wrong[name] += ["other elements"] if tags != harmless else []
        assert {name: one for name, one in wrong.items() if one} == {}
        tab.click("#show-history")
        asked = tab.run("[...document.querySelectorAll('#asked-before bdi')].map((one) => one.textContent)")
        assert asked == texts[::-1]
        assert tab.run("inspected(byId('asked-before'))") == []
        nothing_ran(tab, url)


@WIDTHS
def test_problems_of_hostile_texts_are_shown_as_text_and_break_nothing(tab: Tab, width: int) -> None:
    with saying_each(["Fact.", *CASES.values()]) as url:
        looking(tab, url, width)
        harmless, wrong = found(tab, "bad-0", TAGS), {}
        for at, (name, text) in enumerate(CASES.items(), 1):
            look = f"[{TAGS}, root.querySelector('.bad').textContent === `${{text}} ${{text}}`, inspected(root)]"
            tags, same, wrong[name] = found(tab, f"bad-{at}", look, text)
            wrong[name] += [] if tags == harmless and same else ["other elements or another text"]
        assert {name: one for name, one in wrong.items() if one} == {}
        nothing_ran(tab, url)


@WIDTHS
def test_documents_and_collections_of_hostile_names_are_text_and_break_nothing(tab: Tab, width: int) -> None:
    texts = ["Fact.", *CASES.values()]
    with saying_each(texts) as url:
        looking(tab, url, width)
        tab.click("#show-documents")
        tab.until("document.querySelector('[data-id]')")
        # Many folders, one of them open: the filter searches all of them.
        tab.write("#find-documents", "cannot be read")
        reasons = tab.run("[...document.querySelectorAll('#list p.bad')].map((one) => one.textContent)")
        assert sorted(reasons) == sorted(json.loads(tab.run(f"JSON.stringify({json.dumps(texts)})")))
        rows = "[...document.querySelectorAll('#list tr[data-id]')]"
        tags = tab.run(f"{rows}.map((row) => row.querySelectorAll('*').length)")
        assert set(tags) == {tags[0]}
        assert tab.run("inspected(byId('list'))") == []
        tab.click("#home")
        tab.run("byId('options').open = true; null")
        assert tab.run("document.querySelectorAll('#scope input').length") >= len(set(texts)) - 1
        assert tab.run("inspected(byId('scope'))") == []
        nothing_ran(tab, url)


def test_a_file_is_not_disguised_by_letters_that_turn_its_name(tab: Tab) -> None:
    with saying_each(["\u202efdp.exe", "a\0b"]) as url:
        tab.open(url)
        tab.click("#show-documents")
        tab.until("document.querySelector('[data-id]')")
        names = tab.run("[...document.querySelectorAll('#list th > bdi')].map((one) => one.textContent)")
        assert names == ["[U+202E]fdp.exe", "a[U+0000]b"]
