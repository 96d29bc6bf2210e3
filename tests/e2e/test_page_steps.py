"""The page during a question and afterwards: in Chromium, over real HTTP."""

import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from werkzeug.wrappers import Request, Response

from selfrag.api.page import bundle
from tests.support.local import QUESTION
from tests.support.loopback import Loopback
from tests.support.page.browsing import Tab, browsing
from tests.support.page.said import response_of

# The local stack's bucket.
UPLOADS_TO = "https://selfrag-documents.s3.amazonaws.com"
STAGES = "[...document.querySelectorAll('.stages li')]"
# The page's own clock, which only says how long it would have waited.
HASTY = (
    "window.waits = []; const real = setTimeout; window.setTimeout = (do_it, ms) => { waits.push(ms); real(do_it, 0); }"
)

# How often the tab itself looks, by the same clock.
LOOKING = 50


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browsing() as opened:
        yield opened


def asks(tab: Tab, question: str = "What?") -> None:
    tab.write("#question", question)
    tab.click("#question-form [type=submit]")


def test_the_steps_the_passages_and_the_verdicts_are_seen_as_they_come(
    tab: Tab,
    api: httpx2.Client,
    held: threading.Event,
) -> None:
    tab.open(f"{api.base_url}")
    asks(tab, QUESTION["question"])
    tab.until(f"{STAGES}.some((one) => one.ariaCurrent === 'step' && one.textContent === 'Checking claims')")
    done = tab.run(f"{STAGES}.filter((one) => one.className === 'done').map((one) => one.textContent)")
    assert done == ["Searching", "4 passages, 4 help", "Writing"]
    found = tab.run("[...document.querySelectorAll('.cards li')].map((one) => one.textContent)")
    assert len(found) == 4
    assert all("relevant" in one for one in found)
    assert tab.violations() == []
    held.set()
    tab.until("document.querySelector('.feedback')")
    assert tab.run("byId('running').hidden")
    asked = [address.partition("/v1/")[2] for address in tab.requests if "/v1/" in address]
    assert asked.count("ask") == 1
    assert not [place for place in asked if place.startswith("questions") and not place.endswith("?trace=true")]
    assert tab.said == []


def test_a_quote_is_marked_where_it_stands_in_its_passage(
    tab: Tab,
    api: httpx2.Client,
) -> None:
    tab.open(f"{api.base_url}")
    asks(tab, QUESTION["question"])
    tab.until("document.querySelector('.feedback')")
    response = api.get(f"/v1/questions/{tab.run('location.hash.slice(1)')}").json()
    citation = response["citations"][0]
    tab.click(".cite")
    quote = tab.run("document.querySelector('#source mark').textContent")
    around = tab.run("document.querySelector('#source blockquote').textContent")
    assert quote == citation["quote"]
    assert around == f"{citation['before']}{quote}{citation['after']}"
    assert len(around) > len(quote)


def test_permitted_collections_are_offered_even_without_documents(tab: Tab, api: httpx2.Client) -> None:
    tab.open(f"{api.base_url}")
    tab.click("#options summary")
    tab.until("document.querySelector('#scope input')")
    assert tab.run("[...document.querySelectorAll('#scope label')].map((one) => one.textContent.trim())") == ["c"]
    tab.click("#scope input")
    assert tab.run("JSON.stringify(choices().filters)") == '{"collections":["c"]}'


def test_page_without_stream_polls_at_most_once_per_second(tab: Tab) -> None:
    asked: list[str] = []

    def reply(request: Request) -> Response:
        asked.append(request.path)
        if request.path == "/":
            return Response(bundle.html(), 200, {"Content-Security-Policy": bundle.policy()}, content_type="text/html")
        at_work = {"id": "q0", "status": "running", "reflection": None, "trace": None, "passages": None}
        if request.method == "POST" or asked.count("/v1/questions/q0") % 5:
            status = 202 if request.method == "POST" else 200
            return Response(json.dumps(at_work), status, {"Retry-After": "0"}, content_type="application/json")
        return Response(json.dumps(response_of("Fact.")), content_type="application/json")

    tab.page.add_init_script(HASTY)
    with Loopback(reply) as server:
        tab.open(server.url)
        asks(tab)
        tab.until("document.querySelector('.feedback')")
    waited = [wait for wait in tab.run("waits") if wait != LOOKING]
    assert len(waited) == 5
    assert min(waited) >= 1000
    assert [asked.count(path) for path in ("/v1/ask", "/v1/questions/q0")] == [1, 5]


def streamed(*events: tuple[str, object]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps(said)}\n\n: at work\n\n" for name, said in events)


@pytest.mark.parametrize("last", [[], [("error", {"status": 500})], [("answer", response_of("Fact."))]])
def test_buffered_or_cut_stream_still_leads_to_answer(tab: Tab, last: list[tuple[str, Any]]) -> None:
    accepted = {"id": "q0", "status": "running"}

    def reply(request: Request) -> Response:
        if request.path == "/":
            return Response(bundle.html(), 200, {"Content-Security-Policy": bundle.policy()}, content_type="text/html")
        if request.path == "/v1/ask":
            assert request.headers["accept"] == "text/event-stream"
            passed = {"why": "Search.", "steps": ["Retrieve"], "seconds": 0.1, "verdicts": {}}
            events = streamed(("question", accepted), ("pass", passed), *last)
            return Response(events, content_type="text/event-stream; charset=utf-8")
        if request.path == "/v1/documents":
            return Response("{}", content_type="application/json")
        return Response(json.dumps(response_of("Fact.")), content_type="application/json")

    with Loopback(reply) as server:
        tab.open(server.url)
        asks(tab)
        tab.until("document.querySelector('.feedback')")
        assert tab.run("location.hash") == "#q0"
    assert tab.said == []


@pytest.mark.parametrize(
    ("url", "links"),
    [
        ("https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1#/v2/executions/details/arn", 1),
        ("https://elsewhere.example/.console.aws.amazon.com/", 0),
        ("https://x.console.aws.amazon.com.elsewhere.example/", 0),
        ("javascript:console.error('ran')", 0),
        ("http://eu-west-1.console.aws.amazon.com/", 0),
    ],
)
def test_a_link_leads_to_the_console_of_aws_and_nowhere_else(tab: Tab, url: str, links: int) -> None:
    said = {**response_of("Fact."), "execution": {"arn": "arn", "console_url": url}}

    def reply(request: Request) -> Response:
        if request.path == "/":
            return Response(bundle.html(), 200, content_type="text/html")
        return Response(json.dumps(said), content_type="application/json")

    with Loopback(reply) as server:
        tab.open(f"{server.url}/#q0")
        tab.until("document.querySelector('.feedback')")
        assert tab.run(f"[...document.links].filter((one) => one.href === {json.dumps(url)}).length") == links
        assert tab.run("[...document.links].filter((one) => !one.getAttribute('href').startsWith('#')).length") == links


def test_the_page_weighs_little_and_is_no_part_of_the_description(api: httpx2.Client) -> None:
    page = api.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert len(page.content) <= 110_000
    assert len(gzip.compress(page.content)) <= 35_000
    assert page.headers["content-security-policy"] == bundle.policy(UPLOADS_TO)
    assert "unsafe" not in bundle.policy()
    assert "/" not in api.get("/v1/openapi.json").json()["paths"]
