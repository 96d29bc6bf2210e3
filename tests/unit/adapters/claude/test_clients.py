"""The client of the functions and the anthropic SDK send the same requests, and read the same replies."""

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
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.errors import Misconfigured, SelfragError
from selfrag.ports.model import Prompt, Source
from selfrag.question.decide_retrieval.logic import Retrieval
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.question.grade_support.judge import Support
from selfrag.question.grade_utility.logic import Utility
from selfrag.question.rewrite_question.logic import Rewrite
from selfrag.runtime.settings import Settings
from tests.support.asking import Skipping, claude_of
from tests.unit.adapters.claude.test_replies import MALFORMED, UNREADABLE, VERDICT, message, text

URL, PROMPT = "http://127.0.0.1", Prompt("Judge by the rubric. " * 200, "v1")
SOURCES = [Source("a.md", "A", ("One. ", "Two.")), Source("b.md", "", ("Three.",))]
CITED = [
    {
        "type": "text",
        "text": "25 days.",
        "citations": [
            {
                "type": "search_result_location", "cited_text": "One. ", "source": "a.md", "title": "A",
                "search_result_index": 0, "start_block_index": 0, "end_block_index": 1,
            }
        ],
    }
]  # fmt: skip
TOOL = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use", "id": "t", "name": "verdict"}]
READABLE = {
    "a verdict": text(json.dumps(VERDICT)),
    "citations": message(content=CITED),
    "a tool's call": message(content=[TOOL[0], {**TOOL[1], "input": VERDICT}]),
    "a refusal": message(stop_reason="refusal", content=[]),
    "cut": message(stop_reason="max_tokens"),
    "cached tokens": message(
        usage={
            "input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 5,
            "cache_creation": {"ephemeral_1h_input_tokens": 5, "ephemeral_5m_input_tokens": 0},
        }
    ),
}  # fmt: skip
Reply = Callable[[httpx2.Request], httpx2.Response]


def reply_with(body: bytes = b"{}", status: int = 200, **headers: str) -> Reply:
    named = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return lambda request: httpx2.Response(status, content=body, headers=named)


def fail_with(error: Exception) -> Reply:
    def respond(request: httpx2.Request) -> httpx2.Response:
        raise error

    return respond


FAULTS = {
    **{f"status {status}": reply_with(b'{"message": "no thinking"}', status) for status in (
        301, 307, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529,
    )},
    "retry after seconds": reply_with(b"{}", 429, retry_after="3"),
    "retry after milliseconds": reply_with(b"{}", 503, retry_after_ms="1500"),
    "retry after a date": reply_with(b"{}", 429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
    "retry after nonsense": reply_with(b"{}", 429, retry_after="soon"),
    "retry after nan": reply_with(b"{}", 429, retry_after="nan"),
    "no reply in time": fail_with(httpx2.ReadTimeout("late")),
    "no connection": fail_with(httpx2.ConnectError("refused")),
    "hangs up": fail_with(httpx2.RemoteProtocolError("closed")),
}  # fmt: skip


def outcome(kind: str, respond: Reply, ask: str, provider: str) -> tuple[Any, list[Any], list[float]]:
    """Return a client's result for these replies, its requests, and its pauses."""
    sent: list[Any] = []

    def receive(request: httpx2.Request) -> httpx2.Response:
        known = ("accept", "anthropic-version", "content-type", *["authorization"][: provider == "anthropic"])
        sent.append((request.url.raw_path, {k: request.headers.get(k) for k in known}, json.loads(request.content)))
        return respond(request)

    http = httpx2.Client(transport=httpx2.MockTransport(receive))
    client: Any
    if kind == "ours":
        key = {} if provider == "bedrock" else {"authorization": "Bearer k"}
        client = MessagesClient(http, URL, lambda url, content: key, on_bedrock=provider == "bedrock")
    elif provider == "bedrock":
        keys = {"aws_access_key": "a", "aws_secret_key": "s", "aws_region": "us-east-1"}
        client = anthropic.AnthropicBedrock(base_url=URL, max_retries=0, http_client=http, **keys)
    else:
        client = anthropic.Anthropic(api_key="k", base_url=URL, max_retries=0, http_client=http)
    model = "us.anthropic.claude-haiku-4-5-20251001-v1:0" if provider == "bedrock" else "claude-haiku-5-5"
    time = Skipping()
    claude = claude_of(client, dict.fromkeys(("grade_relevance", "generate"), model), time=time)
    try:
        if ask == "verdict":
            found: Any = claude.judge("grade_relevance", PROMPT, {"question": "?"}, Relevance)
        else:
            found = claude.write("generate", PROMPT, SOURCES, {"question": "?"})
    except SelfragError as error:
        return (type(error), str(error)), sent, time.slept
    calls = [call.model_dump(exclude={"started_at", "ended_at"}) for call in found.usage["calls"]]
    value = found.verdict if ask == "verdict" else found.segments
    return (value, found.flaw, found.attempts, found.error, found.cause, found.throttled, calls), sent, time.slept


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
@pytest.mark.parametrize("ask", ["verdict", "answer"])
@pytest.mark.parametrize(
    "respond",
    [
        *(pytest.param(reply_with(body), id=name) for name, body in {**READABLE, **MALFORMED, **UNREADABLE}.items()),
        *(pytest.param(respond, id=name) for name, respond in FAULTS.items()),
    ],
)
def test_both_clients_send_the_same_and_read_the_same(respond: Reply, ask: str, provider: str) -> None:
    ours, sdks = (outcome(kind, respond, ask, provider) for kind in ("ours", "the SDK's"))
    assert ours[1] == sdks[1]
    assert ours[0] == sdks[0]
    assert ours[2] == pytest.approx(sdks[2], abs=0.5)


@pytest.mark.parametrize("shape", [Relevance, Retrieval, Rewrite, Support, Utility])
def test_the_schemas_are_those_of_the_sdk(shape: type[BaseModel]) -> None:
    assert strict_schema(shape) == anthropic.transform_schema(shape)


def test_a_request_to_bedrock_has_the_signature_of_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    ours = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    sdks = SdkClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    assert ours.base_url == str(sdks.base_url).rstrip("/")
    signed = ours.sign(f"{ours.base_url}/model/m/invoke", b"{}")
    assert "/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date" in signed["Authorization"]
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "token")
    ours = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    assert ours.sign(ours.base_url, b"{}") == {"authorization": "Bearer token"}


def test_a_provider_that_only_the_sdk_knows_is_refused() -> None:
    with pytest.raises(Misconfigured, match="needs the package anthropic"):
        HttpClaude.connect(Settings(model_provider="aws"), "")


@pytest.mark.parametrize("key", ["“k”", "k\n"])
def test_a_key_that_no_header_takes_is_named(key: str) -> None:
    with pytest.raises(Misconfigured, match="the key of the model"):
        HttpClaude.connect(Settings(model_provider="anthropic"), key)


def test_credentials_that_cannot_be_renewed_now_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Credentials:
        def get_frozen_credentials(self) -> None:
            raise CredentialRetrievalError(provider="container-role", error_msg="503")

    monkeypatch.setattr("botocore.session.Session.get_credentials", lambda session: Credentials())
    client = HttpClaude.connect(Settings(model_provider="bedrock"), "", "eu-central-1")
    found = claude_of(client).judge("grade_relevance", PROMPT, {"question": "?"}, Relevance)
    assert (found.flaw, found.error, found.attempts) == ("unavailable", "TemporarilyUnavailable", 4)
