"""Each state of the page has a stable layout, is accessible, and keeps the answer and the field in view."""

import threading

import pytest
from playwright.sync_api import expect

from tests.e2e.page.test_walk import in_view, seen, widths
from tests.support.doubles.model_server import GOOD, ModelServer
from tests.support.local import QUESTION
from tests.support.page.browsing import Tab
from tests.support.page.said import saying_each
from tests.support.page.scenes import SCENES, WITHOUT_MODEL, telling
from tests.support.serving import serving_api

# All layout shifts (W3C, Layout Instability), also those just after a key was pressed, added up.
SHIFTS = """window.shifted = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  shifted += one.value; })).observe({ type: "layout-shift", buffered: true });"""
STEADY = 0.02
# The top of the last turn's text; one script, since the page replaces the turn.
TOP = '[...document.querySelectorAll(".turn .answer")].at(-1).getBoundingClientRect().top'


@widths
@pytest.mark.parametrize("name", SCENES)
def test_every_state_of_the_page_can_be_read_and_used_by_everybody(tab: Tab, name: str, width: int) -> None:
    with telling(offline=name in WITHOUT_MODEL) as url:
        SCENES[name](tab, url, width)
        seen(tab)
        assert tab.said == []


@pytest.mark.parametrize("width", [390, 1280])
def test_layout_stays_steady_while_question_is_answered(tab: Tab, width: int) -> None:
    tab.page.add_init_script(SHIFTS)
    with ModelServer() as model, serving_api(model) as api:
        tab.open(str(api.base_url), width)
        for asked in range(2):
            let_go = threading.Event()
            model.answers["grade_utility"] = lambda body, let_go=let_go: (let_go.wait(60), GOOD["grade_utility"])[1]
            tab.page.get_by_label("Your question").fill(f"{QUESTION['question']} {asked}")
            tab.press("Enter")
            turn = tab.page.locator(".turn").nth(asked)
            expect(turn.locator(".drafted .answer")).to_be_visible(timeout=60_000)
            # Enter itself moves the field to the bottom and the question to the top; that is not a layout shift.
            drafted = tab.run(f"shifted = 0; {TOP}")
            let_go.set()
            expect(turn.locator(".feedback")).to_be_visible(timeout=60_000)
            assert tab.run("shifted") < STEADY
            assert abs(drafted - tab.run(TOP)) < 4, "the answer stands where its draft stood"


@pytest.mark.parametrize("width", [390, 1280])
def test_first_line_of_each_answer_is_in_view(tab: Tab, width: int) -> None:
    texts = [f"Fact {number}. " * 40 for number in range(5)]
    with saying_each(texts) as url:
        tab.open(url, width)
        for number in range(5):
            assert tab.run("document.activeElement.id") == "question"
            tab.tell("Input.insertText", text=f"What is fact {number}?")
            tab.press("Enter")
            turn = tab.page.locator(".turn").nth(number)
            expect(turn.locator(".feedback")).to_be_visible()
            in_view(tab, turn)
