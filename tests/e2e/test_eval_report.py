"""The page of `selfrag eval --output`: opened in a browser, it asks for nothing and says no error."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from tests.e2e.conftest import Run
from tests.support.loopback import Loopback
from tests.support.page.browsing import Tab, browsing
from tests.support.responses import response_body

ASKS = '<img src="http://elsewhere.example/picture.png"><script>console.error("run")</script>'
SET = [{"question": f"What is fact {at}? {ASKS}", "answer": f"{at} units", "documents": ["a.md"]} for at in range(20)]


class Deployment(Loopback):
    """Knows the even facts with two passages and all of them with four; says so with markup."""

    def __init__(self) -> None:
        super().__init__(self._respond)

    def _respond(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        number = int(body["question"].split("?")[0].split()[-1])
        known = number % 2 == 0 or body["policy"].get("top_k", 4) == 4
        verdict = {"relevant": True, "score": 0.9, "label": "relevant"}
        relevance = [{"passage_id": "p", "document": f"{ASKS}/a.md", **verdict}]
        support = {"level": "fully_supported", "claims": [{"claim": ASKS, "support": "full"}]}
        said = {
            **response_body("answered" if known else "abstained", f"{number} units. {ASKS}"),
            "citations": [{"passage_id": "p", "document": f"{ASKS}/a.md", "quote": ASKS, "answer_span": (0, 1)}],
            "reflection": {"retrieve": None, "relevance": relevance, "support": support, "utility": {"score": 5}},
            "queries": [ASKS],
        }
        return Response(json.dumps(said), content_type="application/json")


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    with Deployment() as server:
        yield server


def test_a_report_in_a_browser_asks_for_nothing_and_is_read_by_everybody_on_a_phone_and_in_the_dark(
    here: Run, deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, SET)))
    variants = ("--variant", "four={}", "--variant", 'two={"top_k": 2}')
    ended = here("eval", "set.jsonl", "--endpoint", deployment.url, *variants, "--output", "report.html")
    assert ended.code == 0, ended.err
    with browsing() as tab:
        assert asked_and_said(tab, tmp_path / "report.html") == ([], [])
        assert tab.picture().startswith(b"\x89PNG")
        for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
            tab.open((tmp_path / "report.html").as_uri(), width, dark)
            assert tab.violations() == []
            assert tab.run("document.documentElement.scrollWidth") == width, "nothing stands outside of the window"
            assert tab.run("document.querySelector('[role=img]').getBoundingClientRect().bottom") < 600


def test_a_page_that_asks_for_something_or_has_an_error_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<!doctype html><title>page</title>{ASKS}")
    with browsing() as tab:
        assert asked_and_said(tab, tmp_path / "page.html") == (["http://elsewhere.example/picture.png"], ["run"])


def asked_and_said(tab: Tab, page: Path) -> tuple[list[str], list[str]]:
    """The addresses that a file asks once it is open, and what its console says; what the browser asks is its own."""
    address = page.resolve().as_uri()
    tab.open(address)
    return [asked for asked in tab.requests if asked != address], tab.said
