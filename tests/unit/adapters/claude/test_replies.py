"""Unusable replies become typed errors or flaws, whatever their bytes, and their cost is counted."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest

from selfrag.adapters.claude.messages import MAX_BYTES
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.calls import ModelCall
from selfrag.judging.models import CachedClaude, CachedReplies
from selfrag.ports.model import Prompt
from selfrag.question.grade_relevance.logic import Relevance
from tests.support.asking import claude_of
from tests.support.fakes import MemoryCache

PROMPT = Prompt("the rubric", "v1")
VERDICT = {"reason": "r", "score": 0.9}
MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": json.dumps(VERDICT)}], "usage": {"input_tokens": 100, "output_tokens": 10},
}  # fmt: skip
Asking = Callable[[SdkClaude], Any]
ASKING: dict[str, Asking] = {
    "a verdict": lambda claude: claude.judge("grade_relevance", PROMPT, {"question": "?"}, Relevance),
    "an answer": lambda claude: claude.write("generate", PROMPT, [], {"question": "?"}),
}


@pytest.fixture(params=ASKING, ids=str)
def ask(request: pytest.FixtureRequest) -> Asking:
    return ASKING[request.param]


def claude_with(*bodies: bytes, kind: str = "application/json") -> SdkClaude:
    """Return a model whose replies have these bodies, the last one again and again."""
    left = list(bodies)

    def respond(request: httpx2.Request) -> httpx2.Response:
        body = left.pop(0) if len(left) > 1 else left[0]
        return httpx2.Response(200, content=body, headers={"content-type": kind})

    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    return claude_of(anthropic.Anthropic(api_key="k", base_url="http://127.0.0.1", max_retries=0, http_client=http))


def message(**fields: Any) -> bytes:
    """Return a reply with these fields; one that is None is left out."""
    return json.dumps({name: value for name, value in {**MESSAGE, **fields}.items() if value is not None}).encode()


def text(words: str) -> bytes:
    return message(content=[{"type": "text", "text": words}])


UNREADABLE = {
    "HTML": b"<html><body>Bad gateway</body></html>",
    "nothing": b"",
    "Latin-1": message(model="m").replace(b"msg_1", b"\xe9"),
    "cut in the middle": message()[:60],
    "null": b"null",
    "a list": b"[]",
    "a word": b'"ok"',
    "an empty object": b"{}",
    "an error": b'{"type": "error", "error": {"type": "api_error", "message": "no"}}',
    "brackets without an end": b"[" * 100_000,
    "a number of 5,000 digits": b'{"usage": ' + b"9" * 5_000 + b"}",
    "no usage": message(usage=None),
    "a usage that is a number": message(usage=5),
    "a usage without tokens": message(usage={}),
    "a usage below zero": message(usage={"input_tokens": -1, "output_tokens": 1}),
    "a model's name of 600 kB": message(model="m" * 600_000),
    "a lone surrogate in the model's name": message(model="\ud800"),
}


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_body_is_retried_and_then_the_service_is_unavailable(body: bytes, kind: str, ask: Asking) -> None:
    reply = ask(claude_with(body, kind=kind))
    assert (reply.flaw, reply.error, reply.attempts) == ("unavailable", "TemporarilyUnavailable", 4)
    assert reply.cause.endswith("sent a reply that cannot be read")
    assert reply.usage["calls"] == []
    again = ask(claude_with(body, message(), kind=kind))
    assert (again.flaw, again.error, again.attempts) == (None, None, 2)


@pytest.mark.parametrize("content", [None, 5, {"type": "text"}], ids=["missing", "a number", "an object"])
def test_a_reply_without_content_is_paid_and_asked_for_again(content: Any, ask: Asking) -> None:
    reply = ask(claude_with(message(content=content), message()))
    assert (reply.flaw, reply.attempts) == (None, 2)
    assert [call.input_tokens for call in reply.usage["calls"]] == [100, 100]


MALFORMED = {
    "no blocks": message(content=[]),
    "blocks that are numbers": message(content=[5]),
    "blocks of an unknown type": message(content=[{"type": "new", "text": "25 days."}]),
    "a type that is a list": message(content=[{"type": []}]),
    "a text that is a number": message(content=[{"type": "text", "text": 5}]),
    "a text of nothing": text("  "),
    "citations that are a number": message(content=[{"type": "text", "text": "a", "citations": 5}]),
    "a citation without its place": message(
        content=[{"type": "text", "text": "a", "citations": [{"type": "search_result_location"}]}]
    ),
    "a lone surrogate": text('{"reason": "\ud800", "score": 0.9}'),
    "a lone surrogate in a tool's input": message(
        content=[{"type": "tool_use", "id": "t", "name": "verdict", "input": {"reason": "\ud800", "score": 0.9}}]
    ),
    "600 kB": text(json.dumps({"reason": "a" * 600_000, "score": 0.9})),
    "600 kB in a tool's input": message(
        content=[{"type": "tool_use", "id": "t", "name": "verdict", "input": {"reason": "a" * 600_000, "score": 0.9}}]
    ),
    "a sixth of that, as JSON escapes it": text("\x01" * 10_000),
    "a tool's input without an end": message(
        content=[{"type": "tool_use", "id": "t", "name": "verdict", "input": json.loads("[" * 400 + "]" * 400)}]
    ),
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_a_content_that_cannot_be_used_is_malformed_and_paid_once(body: bytes, ask: Asking) -> None:
    reply = ask(claude_with(body))
    assert (reply.flaw, reply.error, reply.attempts) == ("malformed", None, 1)
    assert [(call.input_tokens, call.output_tokens) for call in reply.usage["calls"]] == [(100, 10)]


def test_a_lone_surrogate_that_json_escapes_in_a_verdicts_text_is_malformed() -> None:
    reply = ASKING["a verdict"](claude_with(text('{"reason": "\\ud800", "score": 0.9}')))
    assert (reply.verdict, reply.flaw) == (None, "malformed")


def test_a_malformed_reply_is_not_remembered(ask: Asking) -> None:
    cache = MemoryCache()
    for body in MALFORMED.values():
        assert ask(CachedClaude(claude_with(body), CachedReplies(cache))).flaw == "malformed"  # type: ignore[arg-type]
    assert cache.kept == {}


def test_longest_answers_and_verdicts_are_read() -> None:
    # 4,096 tokens of English, and the claims of such an answer in 4,000 Japanese characters.
    assert ASKING["an answer"](claude_with(text("word " * 4096))).flaw is None
    long = {"reason": "勤" * 4000, "score": 0.9}
    assert ASKING["a verdict"](claude_with(text(json.dumps(long, ensure_ascii=False)))).verdict.reason == "勤" * 4000
    assert 4 * (MAX_BYTES["answer"] + MAX_BYTES["verdict"]) < 256 * 1024


def test_a_refused_reply_counts_its_requests_and_its_cost_also_without_content(ask: Asking) -> None:
    reply = ask(claude_with(b"", message(content=None, stop_reason="refusal")))
    assert (reply.flaw, reply.attempts, len(reply.usage["calls"])) == ("refused", 2, 1)


@pytest.mark.parametrize(
    "words",
    [
        '```json\n{"reason": "r", "score": 0.9}\n```',
        'For {x} and {y}:\n```\n{"reason": "r", "score": 0.9}\n```\nSo {z}.',
        'Here it is: {"reason": "r", "score": 0.9}',
    ],
)
def test_a_verdict_in_a_fence_or_between_words_is_read(words: str) -> None:
    reply = ASKING["a verdict"](claude_with(text(words)))
    assert (reply.verdict, reply.attempts) == (Relevance(reason="r", score=0.9), 1)


def test_a_call_without_the_models_name_has_the_id_that_was_asked(ask: Asking) -> None:
    reply = ask(claude_with(message(model=None)))
    call: ModelCall = reply.call
    assert call.model.startswith("claude-")
    assert call.cost_usd is not None


def test_the_cost_of_a_paid_reply_stays_when_its_retry_is_refused(ask: Asking) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        status = 401 if seen else 200
        seen.append(request)
        return httpx2.Response(status, content=message(content=None), headers={"content-type": "application/json"})

    seen: list[httpx2.Request] = []
    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    client = anthropic.Anthropic(api_key="k", base_url="http://127.0.0.1", max_retries=0, http_client=http)
    reply = ask(claude_of(client))
    assert (reply.flaw, reply.error, reply.attempts) == ("unavailable", "Misconfigured", 2)
    assert len(reply.usage["calls"]) == 1
