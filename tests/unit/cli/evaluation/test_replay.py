"""Recorded questions are judged again from their traces alone, and only what would be asked otherwise is paid."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.evaluation.replay.planning import Changes, replayed
from cli.evaluation.replay.report import Found
from cli.evaluation.replay.traces import Trace, trace_of
from selfrag.domain.calls import PRICES
from selfrag.runtime.models import GRADER
from tests.support.command import ROOT
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack

Replaying = Callable[..., Found]
STEPS = ROOT / "functions" / "question"


def histories(count: int, server: ModelServer, **policy: Any) -> list[list[dict[str, Any]]]:
    """Of so many different questions, the histories as they are printed."""
    with local_stack(server) as stack:
        ended = [
            stack.execute(
                {**QUESTION, "question": f"How many days, {number}?", "policy": {**QUESTION["policy"], **policy}}
            )
            for number in range(count)
        ]
    return [json.loads(json.dumps(one.history, default=lambda moment: moment.isoformat())) for one in ended]


@pytest.fixture(scope="module")
def fifty() -> list[list[dict[str, Any]]]:
    with ModelServer() as server:
        return histories(50, server, cache=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer() as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


@pytest.fixture
def again(server: ModelServer) -> Replaying:
    """A replay with these options."""

    def run(traces: list[Trace], *options: str, max_cost: float | None = None, parallel: int = 4) -> Found:
        pairs = list(zip(options[::2], options[1::2], strict=True))
        prompts, models = ([value for name, value in pairs if name == wanted] for wanted in ("--prompt", "--model"))
        return replayed(traces, Changes.of(prompts, models), parallel, max_cost, said.append, lambda done, total: None)

    said: list[str] = []
    run.said = said  # type: ignore[attr-defined]
    return run


@pytest.fixture
def stricter(tmp_path: Path) -> Callable[[str], str]:
    """A step's prompt with one more sentence, as an option."""

    def write(step: str) -> str:
        path = tmp_path / f"{step}.md"
        path.write_text((STEPS / step / "prompt.md").read_text(encoding="utf-8") + "\nBe strict.\n", encoding="utf-8")
        return f"{step}={path}"

    return write


def test_under_a_changed_prompt_of_one_grader_that_one_alone_is_asked_and_once_for_each_trace(
    fifty: list[list[dict[str, Any]]], again: Replaying, stricter: Callable[[str], str], server: ModelServer
) -> None:
    traces = [trace_of(history) for history in fifty]
    found = again(traces, "--prompt", stricter("grade_support"))
    assert server.counts == {"grade_support": 50}
    assert all(body["system"][0]["text"].endswith("Be strict.\n") for body in server.requests)
    report = found.report()
    assert {step: took["calls"] for step, took in report["steps"].items()} == {
        "grade_relevance": 0,
        "grade_support": 50,
        "grade_utility": 0,
    }
    assert {step: took["verdicts"] for step, took in report["steps"].items()} == {
        "grade_relevance": 200,
        "grade_support": 50,
        "grade_utility": 50,
    }
    read, written, cached = PRICES[GRADER]
    assert report["steps"]["grade_support"]["usd"] == pytest.approx(
        50 * (100 * read + 10 * written + 50 * cached) / 1e6
    )
    assert report["otherwise"] == []
    again(traces, "--prompt", stricter("grade_support"))
    assert server.counts == {"grade_support": 50}, "what was paid is kept"


def test_without_a_change_nobody_is_asked_and_all_agree(
    fifty: list[list[dict[str, Any]]], again: Replaying, server: ModelServer
) -> None:
    found = again([trace_of(history) for history in fifty[:5]])
    assert server.requests == []
    assert {kind: one["equal"] for kind, one in found.report()["agreement"].items()} == dict.fromkeys(
        ("relevance", "support", "claims", "utility"), 1.0
    )
