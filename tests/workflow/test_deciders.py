"""Whole questions with a decision model as a judge: against a strict double, and against another vendor's server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from selfrag_cli.local.serving.http import listening
from tests.support.aws.stack import LocalStack
from tests.support.doubles.completions import CompletionsServer
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.systemone import MODES, SystemOneServer
from tests.support.grids import some_of
from tests.support.local import QUESTION, forget_verdicts, local_stack

GRADERS = ("decide_retrieval", "grade_relevance", "grade_support", "grade_utility")
STRATEGIES = ("naive", "self_rag", "corrective", "adaptive", "candidates", "segments")
CANARY = "canary-key-of-the-decider"


def settings(url: str, kind: str, **more: str) -> dict[str, str]:
    return {
        "SELFRAG_DECIDER_URL": url,
        "SELFRAG_DECIDER_MODEL": "judge-1",
        "SELFRAG_DECIDER_WINDOW_TOKENS": "100000",
        "SELFRAG_DECIDER_TIMEOUT_SECONDS": "5",
        "SELFRAG_GRADERS": json.dumps(dict.fromkeys(GRADERS, kind)),
        "SELFRAG_DECIDER_THRESHOLDS": json.dumps({step: {"upper": 0.9, "lower": 0.1} for step in GRADERS}),
        **more,
    }


def ask(stack: Any, strategy: str = "self_rag", **policy: Any) -> dict[str, Any]:
    payload = {**QUESTION, "policy": {**QUESTION["policy"], "strategy": strategy, **policy}}
    execution = stack.execute(payload)
    assert execution.status == "SUCCEEDED"
    output: dict[str, Any] = execution.output
    return output


@contextmanager
def asking(
    kind: str, server: SystemOneServer | None = None, **more: str
) -> Iterator[tuple[LocalStack, SystemOneServer, ModelServer]]:
    """Yield a stack that knows no verdict, its decision model and its Claude."""
    with (
        server or SystemOneServer() as double,
        ModelServer() as model,
        local_stack(model, **settings(double.url, kind, **more)) as stack,
    ):
        forget_verdicts()
        yield stack, double, model


def verdicts(response: dict[str, Any]) -> list[dict[str, Any]]:
    reflection = response["reflection"]
    single = [reflection[name] for name in ("retrieve", "support", "utility")]
    return [verdict for verdict in (*single, *reflection["relevance"]) if verdict]


@contextmanager
def sparrow() -> Iterator[str]:
    """Yield the address of a server that others wrote: its protocol is real, and its verdicts are nonsense."""
    with listening(0) as bound:
        port = bound.getsockname()[1]
    command = [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert f":{port}/v1/systemone" in process.stderr.readline()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def third_party() -> Iterator[str]:
    with sparrow() as url:
        yield url


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_with_a_server_that_others_wrote_as_every_judge_a_question_ends(strategy: str, third_party: str) -> None:
    with ModelServer() as model, local_stack(model, **settings(third_party, "decider")) as stack:
        forget_verdicts()
        response = ask(stack, strategy)
        judged = [step for step in GRADERS if model.asked(step)]
    assert response["status"] in ("answered", "partial", "abstained")
    # Claude judges if the decision model is unsure about the search or support.
    assert set(judged) <= {"decide_retrieval", "grade_support"}
    others = [verdict for verdict in verdicts(response) if not {"decision", "level"} & verdict.keys()]
    assert all(verdict["judged_by"] == "decider" for verdict in others)
    assert all("probability" in verdict for verdict in verdicts(response) if verdict["judged_by"] == "decider")
    assert response["usage"]["decisions"] > 0 or strategy == "naive"


@pytest.mark.parametrize("kind", ["decider", "cascade"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_decision_model_that_is_sure_leaves_claude_the_writing_alone(strategy: str, kind: str) -> None:
    with asking(kind) as (stack, _, model):
        response = ask(stack, strategy)
        assert [step for step in GRADERS if model.asked(step)] == [], response["usage"]["warnings"]
    # These two do not judge their answers.
    assert response["status"] == ("partial" if strategy in ("naive", "corrective") else "answered")
    assert all(verdict["judged_by"] == "decider" for verdict in verdicts(response))


@pytest.mark.parametrize("strategy", ["self_rag", "segments"])
def test_without_measured_thresholds_claude_judges_support(strategy: str) -> None:
    with asking("cascade", SELFRAG_DECIDER_THRESHOLDS="{}") as (stack, _, model):
        response = ask(stack, strategy)
        assert [step for step in GRADERS if model.asked(step)] == ["grade_support"]
    assert (response["status"], response["reflection"]["support"]["judged_by"]) == ("answered", "model")


@pytest.mark.parametrize("mode", some_of(MODES, "500", "half", "too_large", "not_json"))
def test_faulty_decider_is_ignored_and_claude_judges(mode: str) -> None:
    with asking("decider", SystemOneServer(mode=mode, retry_after="30")) as (stack, _, _):
        response = ask(stack)
    assert response["status"] == "answered"
    if mode == "too_large":
        return
    assert {verdict["judged_by"] for verdict in verdicts(response)} == {"model"}
    assert all("probability" not in verdict for verdict in verdicts(response))
    assert any("decision model gave no verdict" in warning for warning in response["usage"]["warnings"])


def test_verdict_is_cached_by_model_and_wording_at_no_cost() -> None:
    with SystemOneServer() as server, ModelServer() as model:
        with local_stack(model, **settings(server.url, "decider")) as stack:
            forget_verdicts()
            first, asked = ask(stack), len(server.requests)
            second = ask(stack)
        assert len(server.requests) == asked > 0
        with local_stack(model, **settings(server.url, "decider", SELFRAG_DECIDER_MODEL="judge-2")) as stack:
            ask(stack)
        assert len(server.requests) == 2 * asked
    assert first["usage"]["cached_verdicts"] == 0
    assert second["usage"]["cached_verdicts"] > 0
    assert second["reflection"]["support"]["probability"] == first["reflection"]["support"]["probability"]


def test_the_key_is_in_no_state_and_in_no_log(caplog: pytest.LogCaptureFixture, capsys: Any) -> None:
    caplog.set_level("DEBUG")
    with SystemOneServer(key=CANARY) as server, ModelServer() as model:
        made = settings(server.url, "decider", SELFRAG_DECIDER_SECRET="decider-key")
        with local_stack(model, {"decider-key": CANARY}, **made) as stack:
            forget_verdicts()
            execution = stack.execute(QUESTION)
    assert server.requests
    told = json.dumps([execution.output, execution.history], default=str) + caplog.text + "".join(capsys.readouterr())
    assert CANARY not in told
    assert execution.output["reflection"]["support"]["judged_by"] == "decider"


def test_decisions_are_billed_but_not_counted_as_model_calls() -> None:
    with asking("decider", SELFRAG_DECIDER_PRICE="0.042") as (stack, _, _):
        usage = ask(stack)["usage"]
    graders = sum(usage["by_step"][step]["cost_usd"] for step in GRADERS)
    assert 0 < graders < 0.0006
    assert (usage["model_calls"], usage["decisions"]) == (1, 7)


def test_a_key_that_cannot_be_used_leaves_the_verdicts_to_claude() -> None:
    with SystemOneServer() as server, ModelServer() as model:
        made = settings(server.url, "decider", SELFRAG_DECIDER_SECRET="decider-key")
        with local_stack(model, {"decider-key": "two words"}, **made) as stack:
            forget_verdicts()
            response = ask(stack)
    assert response["status"] == "answered"
    assert {verdict["judged_by"] for verdict in verdicts(response)} == {"model"}
    assert server.requests == []


def test_reflection_tokens_judge_a_whole_question() -> None:
    sure = {"[Retrieval]": 0.95, "[No Retrieval]": 0.01}, {"[Relevant]": 0.95, "[Irrelevant]": 0.01}
    says = {
        "decide": sure[0],
        "relevance": sure[1],
        "support": {"[Fully supported]": 0.95},
        "use": {"[Utility:5]": 0.95},
    }
    with CompletionsServer(says=says) as double, ModelServer() as model:
        more = settings(double.url, "decider", SELFRAG_DECIDER_PROTOCOL="completions")
        with local_stack(model, **more) as stack:
            forget_verdicts()
            response = ask(stack)
    assert (response["status"], double.refused) == ("answered", [])
    assert response["usage"]["decisions"] >= 4
    assert "decider" in {verdict["judged_by"] for verdict in verdicts(response)}
