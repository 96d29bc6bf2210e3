"""Recorded questions are judged again from their traces alone, and only what would be asked otherwise is paid."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.domain.calls import PRICES
from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.judging.graders import GraderKind
from selfrag.runtime.models import GRADER
from selfrag_cli.lab.gate import read_conditions
from selfrag_cli.lab.records import Trace, build_trace, open_results, read_traces
from selfrag_cli.lab.replay import ReplayReport, read_overrides, replay_traces
from selfrag_cli.local.stores.histories import ExecutionHistory
from tests.support.asking import Skipping
from tests.support.command import ROOT
from tests.support.doubles.model_server import Body, ModelServer
from tests.support.doubles.systemone import SystemOneServer
from tests.support.local import QUESTION, local_stack
from tests.unit.cli.lab.conftest import response, result

Replaying = Callable[..., ReplayReport]
STEPS = ROOT / "functions" / "selfrag" / "question"


def histories(count: int, server: ModelServer, **policy: Any) -> list[ExecutionHistory]:
    """Return the printed histories of this many different questions."""
    with local_stack(server) as stack:
        ended = [
            stack.execute(
                {**QUESTION, "question": f"How many days, {number}?", "policy": {**QUESTION["policy"], **policy}}
            )
            for number in range(count)
        ]
    return [ExecutionHistory(one.id, one.history) for one in ended]


@pytest.fixture(scope="module")
def traced() -> list[ExecutionHistory]:
    with ModelServer() as server:
        return histories(10, server, cache=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer() as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


@pytest.fixture
def again(server: ModelServer) -> Replaying:
    """Return a replay with these options."""

    def run(traces: list[Trace], *options: str, max_cost: float | None = None, parallel: int = 4) -> ReplayReport:
        return replay_traces(traces, read_overrides(options), parallel, max_cost, lambda done, total: None)

    return run


@pytest.fixture
def stricter(tmp_path: Path) -> Callable[[str], str]:
    """Return a step's prompt with one more sentence, as an option."""

    def write(step: str) -> str:
        path = tmp_path / f"{step}.md"
        path.write_text((STEPS / step / "prompt.md").read_text(encoding="utf-8") + "\nBe strict.\n", encoding="utf-8")
        return f"{step}={path}"

    return write


def test_changed_prompt_reruns_only_its_grader_once_per_trace(
    traced: list[ExecutionHistory], again: Replaying, stricter: Callable[[str], str], server: ModelServer
) -> None:
    traces = [build_trace(history) for history in traced]
    found = again(traces, stricter("grade_support"))
    assert server.counts == {"grade_support": 10}
    assert all(body["system"][0]["text"].endswith("Be strict.\n") for body in server.requests)
    report = found
    assert {step: of.calls for step, of in report.steps.items()} == {
        "grade_relevance": 0,
        "grade_support": 10,
        "grade_utility": 0,
    }
    assert {step: of.verdicts for step, of in report.steps.items()} == {
        "grade_relevance": 40,
        "grade_support": 10,
        "grade_utility": 10,
    }
    read, written, cached = PRICES[GRADER]
    assert report.steps["grade_support"].usd == pytest.approx(10 * (100 * read + 10 * written + 50 * cached) / 1e6)
    assert report.changed == []
    again(traces, stricter("grade_support"))
    assert server.counts == {"grade_support": 10}, "what was paid is kept"


def test_a_question_with_ambiguous_passages_is_replayed(again: Replaying, server: ModelServer) -> None:
    strips = [{"strip": number, "score": 0.3} for number in (1, 2)]
    server.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.3, "strips": strips}
    (history,) = histories(1, server, cache=False, strategy="corrective")
    found = again([build_trace(history)]).steps["grade_relevance"]
    assert (found.same, found.changed, found.missing) == (4, 0, 0)


@pytest.fixture
def decider(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOneServer]:
    with SystemOneServer() as running:
        monkeypatch.setenv("SELFRAG_DECIDER_URL", running.url)
        monkeypatch.setenv("SELFRAG_DECIDER_MODEL", "double")
        yield running


def test_by_another_judge_only_verdicts_whose_keys_are_missing_are_requested(
    traced: list[ExecutionHistory], server: ModelServer, decider: SystemOneServer
) -> None:
    traces = [build_trace(history) for history in traced[:2]]

    def by(judge: GraderKind) -> ReplayReport:
        return replay_traces(traces, read_overrides([], judge), 4, None, lambda done, total: None)

    steps = by("decider").steps
    assert {step: of.calls for step, of in steps.items()} == {
        "grade_relevance": 8,
        "grade_support": 2,
        "grade_utility": 2,
    }
    assert [of.judged for of in steps.values()] == [8, 2, 2]
    assert (len(decider.requests), server.requests) == (12, [])
    assert [of.same for of in by("claude").steps.values()] == [8, 2, 2], "Claude's verdicts are in the traces"
    by("cascade")
    by("decider")
    assert (len(decider.requests), server.requests) == (12, [])


@pytest.fixture(scope="module")
def two() -> list[ExecutionHistory]:
    with ModelServer() as server:
        return histories(2, server, cache=False)


def test_unknown_label_is_ungraded_and_excluded_from_gates(
    two: list[ExecutionHistory], again: Replaying, stricter: Callable[[str], str], server: ModelServer
) -> None:
    strange = {"claim": "Leave is 40 days.", "support": "-1", "passages": [], "missing": ""}
    server.answers["grade_support"] = lambda body: {"claims": [strange]}
    replay = again([build_trace(history) for history in two], stricter("grade_support"))
    step = replay.steps["grade_support"]
    assert (step.verdicts, step.same, step.changed, step.ungraded) == (2, 0, 0, 2)
    assert replay.changed == []
    (check,) = replay.gate(read_conditions(["supported < 0.5"])).checks
    assert (check.figure, check.failed) == ("no value", True)


def test_replay_asks_changed_model_only_for_its_step(
    two: list[ExecutionHistory], again: Replaying, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_MODELS", json.dumps({"grade_utility": "claude-opus-5-5"}))
    again([build_trace(history) for history in two])
    assert [body["model"] for body in server.requests] == ["claude-opus-5-5"] * 2


def test_a_verdict_without_a_key_stands_unless_its_step_is_changed(
    two: list[ExecutionHistory], again: Replaying, stricter: Callable[[str], str], server: ModelServer
) -> None:
    traces = [build_trace(history) for history in two]
    for step in [step for trace in traces for step in trace.steps]:
        assert step.result is not None
        step.result.pop("judged", None)
    assert again(traces).changed == []
    assert server.requests == []
    again(traces, stricter("grade_utility"))
    assert server.counts == {"grade_utility": 2}


def test_next_replay_requests_only_missing_verdicts(
    traced: list[ExecutionHistory],
    again: Replaying,
    stricter: Callable[[str], str],
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Most of a verdict's cost is for input from the cache.
    monkeypatch.setenv("SELFRAG_PRICES", json.dumps({GRADER: [0.1, 0.5, 1.0]}))
    traces, option = [build_trace(history) for history in traced[:6]], stricter("grade_utility")
    found = again(traces, option, max_cost=0.0006, parallel=1)
    asked = server.counts["grade_utility"]
    assert 0 < asked < 6
    assert found.missing == 6 - asked
    assert found.steps["grade_utility"].usd <= 0.0006
    assert again(traces, option).missing == 0
    assert server.counts == {"grade_utility": 6}


def test_a_replay_gives_up_when_no_verdict_comes_any_more(
    traced: list[ExecutionHistory], again: Replaying, stricter: Callable[[str], str], server: ModelServer
) -> None:
    server.answers["grade_utility"] = _fail
    waiting = bootstrap.using(clock=Skipping().clock)
    with waiting, pytest.raises(TemporarilyUnavailable, match="5 verdicts in a row could not be had"):
        again([build_trace(history) for history in traced[:20]], stricter("grade_utility"), parallel=1)


def _fail(body: Body) -> Any:
    raise RuntimeError


def test_a_step_is_changed_in_one_way(
    two: list[ExecutionHistory], again: Replaying, stricter: Callable[[str], str]
) -> None:
    traces = [build_trace(history) for history in two]
    for options, sentence in (
        (("generate=m",), "There is no step generate to change; there are grade_relevance, "),
        (("grade_utility",), "'grade_utility' is not a step and a file"),
        ((stricter("grade_utility"), stricter("grade_utility")), "grade_utility can be changed in one way"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            again(traces, *options)


def test_traces_are_read_from_results_and_from_histories_as_they_are_printed(
    two: list[ExecutionHistory], tmp_path: Path
) -> None:
    stored, printed, of_aws = (tmp_path / name for name in ("set.results.jsonl", "trace.json", "history.json"))
    with open_results(stored, "here", {}) as results:
        for history in two:
            answer = result("default", history.id, response())
            results.add(answer.model_copy(update={"trace": build_trace(history)}))
    stored.write_bytes(stored.read_bytes() + b'{"variant": "cut by a ki')
    printed.write_text(json.dumps(two[0].events), encoding="utf-8")
    of_aws.write_text(json.dumps({"events": two[0].events}, indent=1), encoding="utf-8")
    traces = read_traces(stored)
    assert [trace.question for trace in traces] == ["How many days, 0?", "How many days, 1?"]
    assert [step.name for step in traces[0].steps].count("GradeRelevance") == 4
    assert read_traces(printed) == read_traces(of_aws) == traces[:1]


@pytest.mark.parametrize("text", ["a letter\nto a friend\n", '{"run": "r", "asked": "here"}', "[1, 2]", '[{"a": 1}]'])
def test_a_file_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"it is no result|is no history"):
        read_traces(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_traces(tmp_path / "nowhere")
