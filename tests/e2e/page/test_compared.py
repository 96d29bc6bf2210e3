"""What was compared is seen on the page: a list of answers or a tree of sentences, in words and for everybody."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_args

import pytest
from playwright.sync_api import expect
from werkzeug.wrappers import Request, Response

from selfrag.api.page import bundle
from selfrag.domain.scores.critiqued import Out
from selfrag.domain.scores.shown import Scale, Stopped
from tests.support.loopback import Loopback
from tests.support.page.browsing import Tab
from tests.support.page.said import response_of
from tests.support.paper.compared import TEXTS, answers, tree

ITEMS = "[...document.querySelectorAll('.compared li')].map((one) => one.firstChild.textContent)"
AT_WORK = {"id": "q0", "status": "running", "reflection": None, "path": [], "passages": None}
STEP = {"started": 0.0, "seconds": 1.0, "attempts": 1, "finished": True, "error": ""}


@contextmanager
def replying(response: Mapping[str, Any], *before: Mapping[str, Any]) -> Iterator[str]:
    """Yield the URL of an API that streams these views of a question, and then its response; GET tells the response."""

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": bundle.policy()}
            return Response(bundle.html(), 200, policy, content_type="text/html")
        if request.path.endswith("/events"):
            views = [("progress", view) for view in before] + ([] if before else [("answer", response)])
            told = "".join(
                f"id: {at}\nevent: {name}\ndata: {json.dumps(one)}\n\n" for at, (name, one) in enumerate(views)
            )
            return Response(told, content_type="text/event-stream")
        return Response(json.dumps(response), content_type="application/json")

    with Loopback(reply) as server:
        yield server.url


def response(scores: dict[str, Any], *cited: str) -> dict[str, Any]:
    citations = [
        {"passage_id": one, "document": "a.md", "quote": "Fact.", "answer_span": [0, 5], "heading": "", "page": None}
        for one in cited
    ]
    return {**response_of("Fact."), "status": "partial", "citations": citations, "scores": scores}


def opened(tab: Tab, url: str, width: int = 1280) -> None:
    tab.open(f"{url}/#q0", width)
    expect(tab.page.get_by_role("button", name="Useful", exact=True)).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_tree_of_sentences_is_a_nested_list_that_says_in_words_what_was_kept_and_why_not(
    tab: Tab, width: int, dark: bool
) -> None:
    with replying(response({**tree(), "stopped": "depth"}, "pA", "pA1")) as url:
        opened(tab, url, width)
        tab.page.emulate_media(color_scheme="dark" if dark else "light")
        tab.page.get_by_text("How it was checked").click()
        tab.page.get_by_text("Numbers and reasons").click()
        told = tab.page.get_by_text("Sentences compared, each below the one before: 5")
        expect(tab.page.get_by_text(TEXTS["A1"])).to_be_hidden()
        told.click()
        outer = tab.page.locator(".compared > li")
        expect(outer).to_have_count(3)
        first = outer.first.locator("> ul > li")
        expect(first).to_have_count(2)
        expect(first.nth(0)).to_contain_text(
            "chosen · score 2.33 · s(Rel) 0.90 · s(Sup) 1.00 · s(Use) 0.90 · leave-A1.md [2]" + TEXTS["A1"]
        )
        expect(first.nth(1)).to_contain_text("left out: its passage does not support it · score 1.15")
        expect(outer.nth(1)).to_contain_text("kept · score 1.80")
        expect(outer.nth(2)).to_contain_text("left out: others were better")
        expect(tab.page.get_by_text("Ended: as many sentences as are allowed.")).to_be_visible()
        expect(tab.page.get_by_text("Scores of a decision model's probabilities")).to_be_visible()
        assert tab.violations() == []
        root = "document.documentElement"
        assert tab.run(f"{root}.scrollWidth <= {root}.clientWidth")
        assert tab.said == []


def test_answers_that_were_compared_stand_best_first_with_their_votes(tab: Tab) -> None:
    with replying(response({**answers(), "votes": {"false": 2.6, "true": 3.45}}, "pB")) as url:
        opened(tab, url)
        tab.page.get_by_text("How it was checked").click()
        tab.page.get_by_text("Numbers and reasons").click()
        tab.page.get_by_text("Answers compared: 3").click()
        assert tab.run(ITEMS) == ["chosen", "kept", "left out: its passage is not relevant"]
        expect(tab.page.get_by_text("Votes: true 3.45, false 2.60")).to_be_visible()
        expect(tab.page.get_by_text("Scores of labels")).to_be_visible()


def test_where_one_answer_was_written_nothing_is_compared(tab: Tab) -> None:
    with replying({**response_of("Fact."), "scores": None}) as url:
        opened(tab, url)
        assert tab.run("document.querySelectorAll('.compared').length") == 0


def test_the_tree_is_seen_while_it_grows_with_the_steps_that_compare(tab: Tab) -> None:
    trace = [{**STEP, "state": state} for state in ("Retrieve", "RankPaths", "RankPaths")]
    with replying({**AT_WORK, "trace": trace, "scores": tree()}, {**AT_WORK, "trace": trace, "scores": tree()}) as url:
        tab.open(f"{url}/#q0")
        expect(tab.page.get_by_text(TEXTS["A1"])).to_be_visible()
        expect(tab.page.locator(".stages [aria-current]")).to_have_text("Writing")
        assert tab.violations() == []


def test_the_page_has_words_for_each_code_of_the_response(tab: Tab) -> None:
    with replying(response(tree())) as url:
        tab.open(url)
        words = set(tab.run("Object.keys(WORDS)"))
    kinds = {"out": Out, "stopped": Stopped, "scale": Scale}
    assert {f"{kind}_{code}" for kind, codes in kinds.items() for code in get_args(codes) if code} <= words


@pytest.mark.parametrize("strategy", ["candidates", "segments"])
def test_the_strategies_that_compare_are_offered_and_asked_for(tab: Tab, strategy: str) -> None:
    sent: list[Any] = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    with replying(response(tree())) as url:
        tab.open(url)
        tab.page.get_by_text("Search options").click()
        tab.page.get_by_label("Way of answering").select_option(strategy)
        tab.write("#question", "What?")
        tab.click("#question-form [type=submit]")
        expect(tab.page.get_by_role("button", name="Useful", exact=True)).to_be_visible()
    assert [one["policy"]["strategy"] for one in sent] == [strategy]
