"""`selfrag models`: what each kind of server does with a verdict and a cited passage, in one table."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result
from werkzeug.wrappers import Response

from selfrag_cli.main import app
from tests.support.doubles.bedrock_double import OFFERED, STRUCTURED, BedrockServer
from tests.support.doubles.chat_server import KINDS, ChatServer, Kind, schema_of
from tests.support.doubles.converse_double import MISTRAL, NOVA, SILENT, ConverseServer
from tests.support.doubles.model_server import ModelServer
from tests.support.doubles.systemone import SystemOneServer
from tests.unit.cli.doctor.test_decider import right

GRADER, WRITER = "claude-haiku-5-5", "claude-sonnet-5-5"


def models(*arguments: str, **environment: str) -> Result:
    clean = dict.fromkeys(("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "SELFRAG_MODEL", "SELFRAG_DECIDER_URL"), "")
    result = CliRunner().invoke(app, ["models", *arguments], env={**clean, "COLUMNS": "100", **environment})
    print(result.output)
    return result


def reports(**environment: str) -> dict[str, dict[str, Any]]:
    return {report["model"]: report for report in json.loads(models("--json", **environment).stdout)}


def local(server: ChatServer) -> dict[str, str]:
    return {"SELFRAG_MODEL": "qwen3:8b", "SELFRAG_MODEL_URL": f"{server.url}/v1"}


def test_claude_does_what_each_of_its_models_is_for() -> None:
    with ModelServer() as server:
        environment = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url}
        shown, listed = models(**environment), reports(**environment)
    assert shown.exit_code == 0
    assert "output_config" in shown.stdout
    assert "200,000 tokens" in shown.stdout
    assert (listed[GRADER]["verdict"], listed[GRADER]["citations"]) == ("output_config", "")
    assert (listed[WRITER]["verdict"], listed[WRITER]["citations"]) == ("output_config", "search results")
    assert {report["window_tokens"] for report in listed.values()} == {200_000}
    assert all(report["reachable"] and report["present"] and report["seconds"] < 20 for report in listed.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_local_server_shows_its_window_and_that_it_cites_numbered_sentences(kind: Kind) -> None:
    with ChatServer(kind, window=8192) as server:
        shown, listed = models(**local(server)), reports(**local(server))["qwen3:8b"]
    assert shown.exit_code == 0
    assert "8,192 tokens" in shown.stdout
    assert (listed["verdict"], listed["citations"]) == ("response_format", "numbered sentences")
    assert listed["gaps"] == (["refuses reasoning_effort"] if kind == "vllm" else [])
    assert (listed["present"], listed["decisions"], listed["error"]) == (True, None, None)


@pytest.mark.parametrize(("schemas", "gap"), [("ignored", "ignores"), ("rejected", "refuses")])
def test_server_without_schemas_is_reported_with_json_in_words(schemas: Any, gap: str) -> None:
    def prose(body: Any, text: str) -> str:
        return text if "response_format" not in body else "It is."

    with ChatServer("ollama", schemas=schemas, spoil=prose) as server:
        listed = reports(**local(server))["qwen3:8b"]
    assert (listed["verdict"], listed["gaps"]) == ("JSON in words", [f"{gap} response_format"])


def test_messages_endpoint_that_drops_passages_is_reported() -> None:
    with ChatServer("llama.cpp") as server:
        result = models(ANTHROPIC_API_KEY="k", SELFRAG_MODEL_BASE_URL=server.url)
        listed = reports(SELFRAG_MODEL_BASE_URL=server.url)
    assert result.exit_code == 1
    assert listed[WRITER]["gaps"] == ["ignores output_config", "ignores tools", "drops passages"]
    assert listed[WRITER]["verdict"] == "JSON in words"
    assert "drops passages" in result.stdout
    assert "SELFRAG_MODEL" in listed[WRITER]["error"]


def test_a_messages_endpoint_that_refuses_passages_is_told_how_to_get_them() -> None:
    with ChatServer("vllm") as server:
        listed = reports(SELFRAG_MODEL_BASE_URL=server.url)[WRITER]
    assert listed["error"].startswith(f"{WRITER} refused the request: status 400. Name the server with SELFRAG_MODEL")


@pytest.mark.parametrize("model", [STRUCTURED, OFFERED])
def test_a_model_on_bedrock_is_probed_as_one_of_anthropic(model: str) -> None:
    environment = {
        "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1",
        "SELFRAG_MODEL_PROVIDER": "bedrock", "SELFRAG_PROFILE": "strict",
        "SELFRAG_MODELS": json.dumps(dict.fromkeys(STEPS, model)),
    }  # fmt: skip
    with BedrockServer() as server:
        result = models(**environment, SELFRAG_MODEL_BASE_URL=server.url)
        listed = reports(**environment, SELFRAG_MODEL_BASE_URL=server.url)[model]
    assert result.exit_code == 0
    assert (listed["citations"], listed["present"], listed["window_tokens"]) == ("search results", True, None)
    assert listed["gaps"] == ([] if model == STRUCTURED else ["refuses output_config"])


@pytest.mark.parametrize(
    ("model", "verdict", "gaps"),
    [
        (NOVA, "tool_choice", []),
        (MISTRAL, "JSON in words", ["refuses tool_choice", "refuses tools"]),
        (SILENT, "JSON in words", ["ignores tool_choice", "ignores tools"]),
    ],
)
def test_another_vendors_model_on_bedrock_shows_how_it_gives_verdicts(
    model: str, verdict: str, gaps: list[str]
) -> None:
    environment = {
        "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1", "SELFRAG_MODEL_PROVIDER": "bedrock", "SELFRAG_PROFILE": "strict",
        "SELFRAG_MODELS": json.dumps(dict.fromkeys(STEPS, model)),
    }  # fmt: skip
    with ConverseServer() as server:
        listed = reports(**environment, SELFRAG_MODEL_BASE_URL=server.url)[model]
    assert (listed["verdict"], listed["gaps"], listed["error"]) == (verdict, gaps, None)
    assert listed["citations"] == "numbered sentences"


STEPS = ("decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility", "rewrite_question")


@pytest.mark.parametrize("settings", [
    {"SELFRAG_MODEL": "qwen3:8b", "SELFRAG_MODEL_URL": "http://127.0.0.1:9/v1"},
    {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
])  # fmt: skip
def test_unreachable_host_is_reported_in_one_sentence(settings: dict[str, str]) -> None:
    result = models(**settings)
    assert result.exit_code == 1
    assert "127.0.0.1:9 cannot be reached: connection refused." in result.stdout
    assert "Traceback" not in result.output
    assert all(report["reachable"] is False for report in reports(**settings).values())


def test_a_model_that_the_server_does_not_have_is_not_present() -> None:
    with ChatServer("ollama", model="gemma4") as server:
        result, listed = models(**local(server)), reports(**local(server))["qwen3:8b"]
    assert result.exit_code == 1
    assert (listed["reachable"], listed["present"]) == (True, False)
    assert "has no qwen3:8b" in listed["error"]


def test_server_that_ignores_model_name_is_reported() -> None:
    class AnyName(ChatServer):
        def _listed(self, path: str) -> Any:
            self._model = "smollm2.gguf"
            listed = super()._listed(path)
            self._model = "qwen3:8b"
            return listed

    with AnyName("llama.cpp") as server:
        listed = reports(**local(server))["qwen3:8b"]
    assert (listed["present"], listed["gaps"]) == (True, ["ignores the name, and has smollm2.gguf"])


@pytest.mark.parametrize("reply", [lambda body: "It is 25 days.", lambda body: " "])
def test_local_model_without_citations_is_rejected(reply: Callable[[Any], str]) -> None:
    with ChatServer() as server:
        server.answers["generate"] = reply
        result, listed = models(**local(server)), reports(**local(server))["qwen3:8b"]
    assert (result.exit_code, listed["verdict"], listed["citations"]) == (1, "response_format", "")
    assert "without citations" in listed["error"]


def test_missing_verdict_does_not_hide_citation_support() -> None:
    with ChatServer(schemas="ignored", spoil=lambda body, text: "So." if schema_of(body) else text) as server:
        listed = reports(**local(server))["qwen3:8b"]
    assert (listed["verdict"], listed["citations"]) == ("", "numbered sentences")
    assert "gave no verdict: its reply was malformed" in listed["error"]


def test_decisions_of_the_same_host_and_of_a_chosen_decider_are_shown() -> None:
    decider = SystemOneServer(right)
    with decider, ChatServer("ollama", decider=decider.app) as server:
        chosen = {"SELFRAG_DECIDER_URL": decider.url, "SELFRAG_DECIDER_MODEL": "jev-latest"}
        result, listed = models(**local(server), **chosen), reports(**local(server), **chosen)
    assert result.exit_code == 0
    assert "yes 0.98, no 0.03" in result.stdout
    assert [report["decisions"] for report in listed.values()] == [[0.98, pytest.approx(0.03)]] * 2


def test_without_a_model_the_command_says_what_to_set() -> None:
    assert "set ANTHROPIC_API_KEY or SELFRAG_MODEL" in str(models().exception)


def test_a_refused_answer_hides_neither_the_verdict_nor_the_window() -> None:
    class NoWriter(ChatServer):
        def _answer(self, request: Any) -> Any:
            refused = request.method == "POST" and b"Its JSON schema:" not in request.data
            return Response("{}", 400) if refused and b"json_schema" not in request.data else super()._answer(request)

    with NoWriter("vllm", window=4096) as server:
        result, listed = models(**local(server)), reports(**local(server))["qwen3:8b"]
    assert result.exit_code == 1
    assert (listed["present"], listed["verdict"], listed["window_tokens"]) == (True, "response_format", 4096)
    assert listed["error"].startswith("qwen3:8b refused the request: status 400. Choose another model")
