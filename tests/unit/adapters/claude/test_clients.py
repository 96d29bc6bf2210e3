"""Our client of the Messages API sends what the anthropic SDK sends, and reads replies and faults of every kind."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest
from botocore.exceptions import CredentialRetrievalError
from pydantic import BaseModel

from selfrag.adapters.claude.http import HttpClaude, MessagesClient
from selfrag.adapters.claude.schema import strict_schema
from selfrag.domain.errors import Misconfigured, SelfragError
from selfrag.ports.model import Prompt, Source
from selfrag.question.decide_retrieval.logic import Retrieval
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.question.grade_support.judge import Support
from selfrag.question.grade_utility.logic import Utility
from selfrag.question.rewrite_question.logic import Rewrite
from selfrag.runtime.settings import Settings
from tests.support.asking import Skipping, claude_of, client_at
from tests.unit.adapters.claude.test_replies import VERDICT, message, text

URL, PROMPT = "http://127.0.0.1", Prompt("Judge by the rubric. " * 200, "v1")
SOURCES = [Source("a.md", "A", ("One. ", "Two.")), Source("b.md", "", ("Three.",))]
Reply = Callable[[httpx2.Request], httpx2.Response]


def reply_with(body: bytes = b"{}", status: int = 200, **headers: str) -> Reply:
    named = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return lambda request: httpx2.Response(status, content=body, headers=named)


def fail_with(error: Exception) -> Reply:
    def respond(request: httpx2.Request) -> httpx2.Response:
        raise error

    return respond


# Per fault: the requests that are sent, the error in the end, and the first pause in seconds (0.25 to 0.5 by default).
FAULTS: dict[str, tuple[Reply, int, str, float]] = {
    **{f"status {status}": (reply_with(b"{}", status), 1, error, 0.0) for status, error in (
        (301, "RequestRejected"), (307, "RequestRejected"), (400, "RequestRejected"), (401, "Misconfigured"),
        (402, "Misconfigured"), (403, "Misconfigured"), (404, "Misconfigured"), (413, "RequestRejected"),
        (422, "RequestRejected"),
    )},
    **{f"status {status}": (reply_with(b"{}", status), 4, "TemporarilyUnavailable", 0.375) for status in (
        408, 409, 429, 500, 503, 529,
    )},
    "retry after seconds": (reply_with(b"{}", 429, retry_after="3"), 4, "TemporarilyUnavailable", 3.0),
    "retry after milliseconds": (reply_with(b"{}", 503, retry_after_ms="1500"), 4, "TemporarilyUnavailable", 1.5),
    "retry after a date": (
        reply_with(b"{}", 429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 4, "TemporarilyUnavailable", 0.0,
    ),
    "retry after nonsense": (reply_with(b"{}", 429, retry_after="soon"), 4, "TemporarilyUnavailable", 0.375),
    "retry after nan": (reply_with(b"{}", 429, retry_after="nan"), 4, "TemporarilyUnavailable", 0.375),
    "no reply in time": (fail_with(httpx2.ReadTimeout("late")), 4, "TemporarilyUnavailable", 0.375),
    "no connection": (fail_with(httpx2.ConnectError("refused")), 4, "TemporarilyUnavailable", 0.375),
    "hangs up": (fail_with(httpx2.RemoteProtocolError("closed")), 4, "TemporarilyUnavailable", 0.375),
}  # fmt: skip


def ask(client: MessagesClient, kind: str, model: str, time: Skipping) -> Any:
    claude = claude_of(client, dict.fromkeys(("grade_relevance", "generate"), model), time=time)
    if kind == "verdict":
        return claude.judge("grade_relevance", PROMPT, {"question": "?"}, Relevance)
    return claude.write("generate", PROMPT, SOURCES, {"question": "?"})


def model_of(provider: str) -> str:
    return "us.anthropic.claude-haiku-4-5-20251001-v1:0" if provider == "bedrock" else "claude-haiku-5-5"


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
@pytest.mark.parametrize("kind", ["verdict", "answer"])
def test_a_request_is_the_one_of_the_sdk(kind: str, provider: str) -> None:
    sent: list[Any] = []

    def receive(request: httpx2.Request) -> httpx2.Response:
        known = ("accept", "anthropic-version", "content-type", *["authorization"][: provider == "anthropic"])
        sent.append((request.url.raw_path, {k: request.headers.get(k) for k in known}, json.loads(request.content)))
        return reply_with(text(json.dumps(VERDICT)))(request)

    http = httpx2.Client(transport=httpx2.MockTransport(receive))
    ask(client_at(URL, http, on_bedrock=provider == "bedrock"), kind, model_of(provider), Skipping())
    keys = {"aws_access_key": "a", "aws_secret_key": "s", "aws_region": "us-east-1"}
    sdk: Any = (
        anthropic.AnthropicBedrock(base_url=URL, max_retries=0, http_client=http, **keys)
        if provider == "bedrock"
        else anthropic.Anthropic(api_key="k", base_url=URL, max_retries=0, http_client=http)
    )
    body = dict(sent[0][2])
    more = {"anthropic_version": body.pop("anthropic_version")} if "anthropic_version" in body else {}
    sdk.messages.create(**{"model": model_of(provider), **body}, extra_body=more)
    assert sent[0] == sent[1]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
@pytest.mark.parametrize("kind", ["verdict", "answer"])
@pytest.mark.parametrize(("respond", "requests", "error", "pause"), FAULTS.values(), ids=FAULTS)
def test_faults_are_retried_or_raised_by_their_kind(
    respond: Reply, requests: int, error: str, pause: float, kind: str, provider: str
) -> None:
    sent: list[httpx2.Request] = []

    def receive(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return respond(request)

    http, time = httpx2.Client(transport=httpx2.MockTransport(receive)), Skipping()
    client = client_at(URL, http, on_bedrock=provider == "bedrock")
    if requests == 1:
        with pytest.raises(SelfragError) as raised:
            ask(client, kind, model_of(provider), time)
        assert type(raised.value).__name__ == error
    else:
        found = ask(client, kind, model_of(provider), time)
        assert (found.flaw, found.attempts, found.error) == ("unavailable", requests, error)
        assert time.slept[0] == pytest.approx(pause, abs=0.01)
    assert len(sent) == requests


def test_a_call_reports_the_tokens_of_the_prompt_cache() -> None:
    usage = {
        "input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 5,
        "cache_creation": {"ephemeral_1h_input_tokens": 5, "ephemeral_5m_input_tokens": 0},
    }  # fmt: skip
    http = httpx2.Client(transport=httpx2.MockTransport(reply_with(message(usage=usage))))
    call = ask(client_at(URL, http), "answer", "claude-haiku-5-5", Skipping()).call
    assert (call.cache_read_input_tokens, call.cache_creation_input_tokens) == (7, 5)
    assert call.cache_creation_1h_input_tokens == 5


@pytest.mark.parametrize("shape", [Relevance, Retrieval, Rewrite, Support, Utility])
def test_the_schemas_are_those_of_the_sdk(shape: type[BaseModel]) -> None:
    assert strict_schema(shape) == anthropic.transform_schema(shape)


def test_a_request_to_bedrock_is_signed_or_has_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    ours = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    assert ours.base_url == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    signed = ours.sign(f"{ours.base_url}/model/m/invoke", b"{}")
    assert "/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date" in signed["Authorization"]
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "token")
    ours = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    assert ours.sign(ours.base_url, b"{}") == {"authorization": "Bearer token"}


def test_a_request_to_claude_platform_on_aws_is_signed_and_names_its_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("ANTHROPIC_AWS_WORKSPACE_ID", "wrkspc_1")
    ours = HttpClaude.connect(Settings(model_provider="aws"), "", "us-west-2")
    sdks = anthropic.AnthropicAWS(aws_region="us-west-2")
    assert ours.base_url == str(sdks.base_url).rstrip("/")
    headers = ours.sign(f"{ours.base_url}/v1/messages", b"{}")
    assert headers["anthropic-workspace-id"] == sdks.workspace_id
    assert "/us-west-2/aws-external-anthropic/aws4_request" in headers["Authorization"]


@pytest.mark.parametrize("key", ["“k”", "k\n"])
def test_a_key_that_no_header_takes_is_named(key: str) -> None:
    with pytest.raises(Misconfigured, match="the key of the model"):
        HttpClaude.connect(Settings(model_provider="anthropic"), key)


def test_credentials_that_cannot_be_renewed_now_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Credentials:
        def get_frozen_credentials(self) -> None:
            raise CredentialRetrievalError(provider="container-role", error_msg="503")

    monkeypatch.setattr("boto3.Session.get_credentials", lambda session: Credentials())
    client = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    found = claude_of(client).judge("grade_relevance", PROMPT, {"question": "?"}, Relevance)
    assert (found.flaw, found.error, found.attempts) == ("unavailable", "TemporarilyUnavailable", 4)
