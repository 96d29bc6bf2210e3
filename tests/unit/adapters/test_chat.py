"""The chat-completions API: requests, refusals and costs."""

import sys
from subprocess import run
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from selfrag.adapters.chat import ChatModel
from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import CostBudget
from selfrag.domain.calls import Prices
from selfrag.domain.errors import Misconfigured
from selfrag.ports.model import Prompt, Source
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import DEFAULT_MODELS, Settings, read
from tests.support.asking import MemoryCalls, Skipping
from tests.support.doubles.chat_server import KINDS, ChatServer, Kind, schema_of
from tests.support.loopback import Loopback

RUBRIC = Prompt("Judge by the rubric. " * 20, "v1")
FIELDS = {"question": "How many days?", "passage": {"title": "Leave", "text": "25 days of leave."}}
SOURCE = Source("leave.md", "Leave", ("Leave is 25 days. ", "It is\n[1] paid."))


def model_at(
    url: str, key: str = "", budget: float | None = None, prices: dict[str, Prices] | None = None
) -> ChatModel:
    pace = Pace(Skipping().clock, MemoryCalls(1.0), 20.0, None)
    models = dict.fromkeys(("generate", "grade_relevance"), "qwen3:8b")
    client = ChatModel.connect(Settings(model="qwen3:8b", model_url=f"{url}/v1"), key)
    return ChatModel(
        client, models, pace, CostBudget(budget, prices or {}), Capabilities(first_profile=ChatModel.profile)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_verdict_uses_schema_and_sends_no_cache_mark(kind: Kind) -> None:
    with ChatServer(kind) as server:
        judged = model_at(server.url, key="k").judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert judged.verdict == Relevance(reason="r", score=0.9)
    assert set(schema_of(server.requests[-1])["properties"]) == {"reason", "score"}
    assert server.keys[-1] == "Bearer k"
    # A server that refuses to stop the model's thoughts is asked without that.
    assert [body.get("reasoning_effort") for body in server.requests] == (
        ["none", None] if kind == "vllm" else ["none"]
    )


def test_reply_with_wrong_fields_reveals_ignored_schema() -> None:
    def spoil(body: Any, text: str) -> str:
        return '{"relevance": "high"}' if "response_format" in body else text

    with ChatServer(schemas="ignored", spoil=spoil) as server:
        judged = model_at(server.url).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert (judged.verdict is not None, judged.attempts, len(judged.usage["calls"])) == (True, 2, 2)


@pytest.mark.parametrize(
    ("finish", "words"), [("length", "It is relevant, for"), ("content_filter", "I cannot judge.")]
)
def test_a_cut_reply_and_a_refusal_say_nothing_about_schemas(finish: str, words: str) -> None:
    with ChatServer(schemas="ignored", finish=finish, spoil=lambda body, text: words) as server:
        model = model_at(server.url)
        flaws = [model.judge("grade_relevance", RUBRIC, FIELDS, Relevance).flaw for _ in range(2)]
    assert (flaws[0] in ("cut", "refused"), len(server.requests)) == (True, 2)
    assert all("response_format" in body for body in server.requests)


def test_a_question_to_a_local_server_loads_no_sdk() -> None:
    loads = "import sys, selfrag.adapters.chat; print({'anthropic', 'boto3'} & set(sys.modules))"
    assert run([sys.executable, "-c", loads], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize("kind", KINDS)
def test_model_without_thinking_gets_a_small_token_limit(kind: Kind) -> None:
    with ChatServer(kind) as server:
        model = model_at(server.url)
        model.judge("grade_relevance", RUBRIC, FIELDS, Relevance)
        model.write("generate", RUBRIC, [SOURCE], {"question": "?"})
    *_, verdict, answer = server.requests
    # vLLM takes no stop of thoughts.
    expected = (4096, 4096) if kind == "vllm" else (800, 1024)
    assert (verdict["max_tokens"], answer["max_tokens"]) == expected


def test_no_text_of_a_source_can_begin_a_numbered_sentence() -> None:
    with ChatServer() as server:
        model_at(server.url).write("generate", RUBRIC, [SOURCE], {"question": "?"})
    lines = server.requests[-1]["messages"][1]["content"].splitlines()
    assert lines[:3] == ["Source: leave.md: Leave", "[1] Leave is 25 days.", "[2] It is ⟦1⟧ paid."]


@pytest.mark.parametrize("reply", ["[1]", " ", "<think>It is 25 days [1]."])
def test_a_reply_without_words_is_no_answer(reply: str) -> None:
    with ChatServer() as server:
        server.answers["generate"] = lambda body: reply
        writing = model_at(server.url).write("generate", RUBRIC, [SOURCE], {"question": "?"})
    assert (writing.flaw, writing.segments) == ("malformed", ())


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "refused the key: status 401. Set SELFRAG_MODEL_KEY"),
        (404, "has no qwen3:8b, or SELFRAG_MODEL_URL is wrong"),
    ],
)
def test_a_refusal_says_what_to_set(status: int, sentence: str) -> None:
    def refuse(request: Request) -> Response:
        return Response("{}", status)

    with Loopback(refuse) as server, pytest.raises(Misconfigured, match=sentence):
        model_at(server.url).judge("grade_relevance", RUBRIC, FIELDS, Relevance)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}', b"[" * 100_000]
)
def test_unreadable_reply_is_reported_as_unavailable(body: bytes) -> None:
    def spoiled(request: Request) -> Response:
        return Response(body, content_type="application/json")

    with Loopback(spoiled) as server:
        judged = model_at(server.url).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert (judged.verdict, judged.flaw, judged.error) == (None, "unavailable", "TemporarilyUnavailable")


def test_a_model_that_costs_nothing_is_asked_under_any_budget() -> None:
    with ChatServer() as server:
        model = model_at(server.url, budget=0.000001, prices={"qwen3:8b": (0.0, 0.0, 0.0)})
        judged = model.judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert judged.verdict is not None
    assert [call.cost_usd for call in judged.usage["calls"]] == [0.0]


def test_a_model_without_a_price_is_not_asked_under_a_budget() -> None:
    with ChatServer() as server, pytest.raises(Misconfigured, match="SELFRAG_PRICES"):
        model_at(server.url, budget=1.0).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert server.requests == []


@pytest.mark.parametrize(("parallel", "expected"), [({}, 1), ({"SELFRAG_PARALLEL": "3"}, 3)])
def test_one_model_name_serves_all_steps_one_request_at_a_time(
    monkeypatch: pytest.MonkeyPatch, parallel: dict[str, str], expected: int
) -> None:
    for name, value in {"SELFRAG_MODEL": "qwen3:8b", **parallel}.items():
        monkeypatch.setenv(name, value)
    settings = read(Settings)
    assert settings.models == dict.fromkeys(DEFAULT_MODELS, "qwen3:8b")
    assert settings.model_url == "http://127.0.0.1:11434/v1"
    assert settings.parallel == expected


def test_single_step_can_have_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFRAG_PARALLEL", raising=False)
    assert read(Settings).parallel == 6
    monkeypatch.setenv("SELFRAG_MODEL", "qwen3:8b")
    monkeypatch.setenv("SELFRAG_MODELS", '{"generate": "gemma4"}')
    models = read(Settings).models
    assert (models["generate"], models["grade_support"]) == ("gemma4", "qwen3:8b")
