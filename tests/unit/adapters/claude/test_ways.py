"""Output modes for verdicts: a mode that the model rejects is replaced by the next one, and never tried twice."""

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import MAX_TOKENS, VERDICT_TOKENS
from selfrag.adapters.claude.profiles import profile_of
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.calls import Limits, cost_usd
from selfrag.domain.errors import RequestRejected
from selfrag.judging.models import CachedClaude, CachedReplies
from selfrag.ports.model import Prompt, Source
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.question.grade_support.judge import Support
from tests.support.asking import MemoryCalls, claude_of
from tests.support.doubles.bedrock_double import (
    EXTRA,
    FORCEABLE,
    OFFERED,
    STRUCTURED,
    TALKATIVE,
    TOOLLESS,
    BedrockServer,
    way_of,
)
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import MemoryCache

RUBRIC = Prompt("Judge by the rubric. " * 200, "v1")
FIELDS = {"question": "How many days?", "passage": {"title": "Leave", "text": "25 days of leave."}}
CLAIM = {"question": "How many days?", "answer": "25 days.", "passages": [{"number": 1, "text": "25 days."}]}


@pytest.fixture
def bedrock() -> Iterator[BedrockServer]:
    with BedrockServer() as server:
        yield server


def claude_at(server: BedrockServer, model: str, known: Capabilities | None = None, **more: Any) -> SdkClaude:
    keys = {"aws_access_key": "a", "aws_secret_key": "s", "aws_region": "us-east-1"}
    client = anthropic.AnthropicBedrock(base_url=server.url, max_retries=0, **keys)
    return claude_of(client, dict.fromkeys(("grade_relevance", "grade_support"), model), capabilities=known, **more)


@pytest.mark.parametrize(
    ("model", "ways"),
    [
        (STRUCTURED, ["json_schema"]),
        (FORCEABLE, ["forced_tool"]),
        (OFFERED, ["json_schema", "offered_tool"]),
        (TALKATIVE, ["json_schema", "offered_tool", "words"]),
        (TOOLLESS, ["json_schema", "offered_tool", "words"]),
    ],
)
def test_refused_output_mode_is_replaced_and_remembered(bedrock: BedrockServer, model: str, ways: list[str]) -> None:
    counted: list[tuple[str, str]] = []
    known = Capabilities(lambda *refused: counted.append(refused))
    judged = claude_at(bedrock, model, known).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert judged.verdict is not None
    assert [way_of(body) for body, _ in bedrock.asked(model)] == ways
    assert judged.attempts == len(ways)
    assert counted == [(model, way) for way in ways[:-1]]
    # Another task of the same function.
    again = claude_at(bedrock, model, known).judge("grade_support", RUBRIC, CLAIM, Support)
    assert (again.verdict is not None, again.attempts, len(counted)) == (True, 1, len(ways) - 1)
    assert way_of(bedrock.requests[-1][1]) == ways[-1]


def test_reply_without_the_offered_tool_call_is_paid_and_counted(bedrock: BedrockServer) -> None:
    judged = claude_at(bedrock, TALKATIVE).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert (judged.verdict is not None, judged.attempts, len(judged.usage["calls"])) == (True, 3, 2)


class Wayward(ModelServer):
    """Replies with these words wherever a verdict is asked for in one of `ignored` ways, else well."""

    def __init__(self, words: Any, *ignored: str) -> None:
        super().__init__()
        self._words, self._ignored = words, ignored

    def answer(self, body: Any) -> tuple[int, Any]:
        status, message = super().answer(body)
        if way_of(body) in self._ignored:
            blocks = self._words if isinstance(self._words, list) else [{"type": "text", "text": self._words}]
            message = {**message, "content": blocks}
        return status, message


PROSE = "It is relevant: the passage says so."
OTHER_TOOL = [{"type": "tool_use", "id": "t", "name": "search", "input": {"reason": "r", "score": 0.9}}]
JSON_SCHEMA, FORCED_TOOL = "claude-haiku-5-5", "claude-haiku-4-5"


def judged_by(
    server: ModelServer, model: str, capabilities: Capabilities | None = None, budget: float | None = None
) -> Any:
    client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
    claude = claude_of(client, {"grade_relevance": model}, limits=Limits(budget_usd=budget), capabilities=capabilities)
    return claude.judge("grade_relevance", RUBRIC, FIELDS, Relevance)


@pytest.mark.parametrize("words", [PROSE, OTHER_TOOL, "[0.9]"], ids=["prose", "another tool", "no object"])
@pytest.mark.parametrize(
    ("model", "ignored", "ways"),
    [
        (FORCED_TOOL, ["forced_tool"], ["forced_tool", "json_schema"]),
        (JSON_SCHEMA, ["json_schema"], ["json_schema", "forced_tool"]),
        (JSON_SCHEMA, ["json_schema", "forced_tool"], ["json_schema", "forced_tool", "offered_tool"]),
    ],
)
def test_ignored_output_mode_is_replaced_and_remembered(
    words: Any, model: str, ignored: list[str], ways: list[str]
) -> None:
    counted: list[tuple[str, str]] = []
    capabilities = Capabilities(lambda *feature: counted.append(feature))
    with Wayward(words, *ignored) as server:
        first, later = judged_by(server, model, capabilities), judged_by(server, model, capabilities)
    assert (first.verdict.score, first.attempts, len(first.usage["calls"])) == (0.9, len(ways), len(ways))
    assert (later.verdict.score, later.attempts) == (0.9, 1)
    assert [way_of(body) for body in server.requests] == [*ways, ways[-1]]
    assert counted == [(model, way) for way in ignored]


@pytest.mark.parametrize(
    "words",
    ['{"reason": "r", "score": 7}', '{"score": 0.9}', "{}", '{"reas', '```json\n{"score": "high"}\n```', "", []],
)
@pytest.mark.parametrize("model", [JSON_SCHEMA, FORCED_TOOL])
def test_malformed_verdict_or_empty_reply_keeps_model_capabilities(words: Any, model: str) -> None:
    capabilities = Capabilities()
    with Wayward(words, "json_schema", "forced_tool") as server:
        judgement = judged_by(server, model, capabilities)
    assert (judgement.flaw, judgement.attempts, capabilities.profile_for(model)) == ("malformed", 1, profile_of(model))


def test_model_that_ignores_every_output_mode_is_asked_in_words() -> None:
    counted: list[tuple[str, str]] = []
    capabilities = Capabilities(lambda *feature: counted.append(feature))
    with Wayward(PROSE, "json_schema", "forced_tool", "offered_tool", "words") as server:
        first, later = (judged_by(server, JSON_SCHEMA, capabilities) for _ in range(2))
    assert (first.flaw, first.error, first.attempts, len(first.usage["calls"])) == ("malformed", None, 4, 4)
    assert (later.flaw, later.error, later.attempts, len(later.usage["calls"])) == ("malformed", None, 1, 1)
    assert way_of(server.requests[-1]) == "words"
    assert counted == [(JSON_SCHEMA, way) for way in ("json_schema", "forced_tool", "offered_tool")]


def test_ignored_output_mode_is_not_retried_without_a_later_reply() -> None:
    capabilities = Capabilities()
    with Wayward(PROSE, "json_schema") as server:
        server.begin_anew(lambda step, number: 400 if number == 2 else None)
        assert judged_by(server, JSON_SCHEMA, capabilities).flaw == "unavailable"
        assert judged_by(server, JSON_SCHEMA, capabilities).verdict is not None
    assert [way_of(body) for body in server.requests] == ["json_schema", "forced_tool", "forced_tool"]


@pytest.mark.parametrize("stop", ["refusal", "max_tokens"])
def test_prose_in_refused_or_cut_reply_keeps_model_capabilities(stop: str) -> None:
    class Stopped(Wayward):
        def answer(self, body: Any) -> tuple[int, Any]:
            status, message = super().answer(body)
            return status, {**message, "stop_reason": stop}

    with Stopped(PROSE, "json_schema") as server:
        judgement = judged_by(server, JSON_SCHEMA)
    assert (judgement.flaw in ("refused", "cut"), judgement.attempts) == (True, 1)


def test_prose_verdict_is_malformed_if_another_mode_is_unaffordable() -> None:
    class Dear(Wayward):
        def answer(self, body: Any) -> tuple[int, Any]:
            status, message = super().answer(body)
            return status, {**message, "usage": {"input_tokens": 10_000, "output_tokens": 10}}

    with Dear(PROSE, "json_schema") as server:
        judgement = judged_by(server, JSON_SCHEMA, budget=0.001)
    assert (judgement.flaw, judgement.error, judgement.attempts) == ("malformed", None, 1)
    assert len(judgement.usage["calls"]) == 1


def test_a_400_that_names_nothing_of_the_request_is_not_asked_again(bedrock: BedrockServer) -> None:
    bedrock.refusal = (400, EXTRA.format("messages.0.content.0.citations"))
    with pytest.raises(RequestRejected):
        claude_at(bedrock, STRUCTURED).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert len(bedrock.requests) == 1


def test_when_every_way_is_refused_the_request_is_rejected(bedrock: BedrockServer) -> None:
    bedrock.refusal = (400, EXTRA.format("output_config.format") + " tools: not supported")
    with pytest.raises(RequestRejected):
        claude_at(bedrock, STRUCTURED).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    assert way_of(bedrock.requests[-1][1]) == "words"


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        (EXTRA.format("output_config.effort"), "effort"),
        ('"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
         '"output_config.effort" to control thinking behavior.', "thinking"),
        (EXTRA.format("system.0.cache_control.ephemeral.ttl"), "ttl"),
    ],
    ids=["effort", "thinking", "hour"],
)  # fmt: skip
def test_refused_setting_is_dropped_and_verdict_still_given(message: str, gone: str) -> None:
    class Without(BedrockServer):
        def respond(self, path: str, headers: Any, body: Any) -> dict[str, Any]:
            self.refusal = (400, message) if gone in str(body) else None
            return super().respond(path, headers, body)

    with Without() as server:
        claude = claude_at(server, FORCEABLE, recent=MemoryCalls(20 * 60.0))
        judged = claude.judge("grade_relevance", RUBRIC, FIELDS, Relevance)
        assert (judged.verdict is not None, judged.attempts) == (True, 2)
        assert gone not in str(server.requests[-1][1])
        assert way_of(server.requests[-1][1]) == "forced_tool"


def test_verdict_cache_key_excludes_the_output_mode(bedrock: BedrockServer) -> None:
    kept, known = MemoryCache(), Capabilities()
    first = CachedClaude(claude_at(bedrock, OFFERED, known), CachedReplies(kept)).judge(
        "grade_relevance", RUBRIC, FIELDS, Relevance
    )
    # A function that has just started would ask by a schema.
    second = CachedClaude(claude_at(bedrock, OFFERED), CachedReplies(kept)).judge(
        "grade_relevance", RUBRIC, FIELDS, Relevance
    )
    assert (first.cached, second.cached, second.verdict) == (False, True, first.verdict)


def test_call_is_priced_by_the_requested_model_id(bedrock: BedrockServer) -> None:
    call = claude_at(bedrock, FORCEABLE).judge("grade_relevance", RUBRIC, FIELDS, Relevance).call
    assert call is not None
    assert call.model == "claude-haiku-5-5"
    assert call.cost_usd == pytest.approx(1.1 * (cost_usd(call.model_copy(update={"cost_usd": None}), {}) or 0))


def test_instruction_follows_rubric_so_cached_prompt_is_unchanged(
    bedrock: BedrockServer,
) -> None:
    claude_at(bedrock, TALKATIVE, recent=MemoryCalls(60.0)).judge("grade_relevance", RUBRIC, FIELDS, Relevance)
    rubrics = [body["system"][0] for body, _ in bedrock.asked(TALKATIVE)]
    assert rubrics == [{"type": "text", "text": RUBRIC.text, "cache_control": {"type": "ephemeral"}}] * 3
    assert [len(body["system"]) for body, _ in bedrock.asked(TALKATIVE)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("model", "thinking", "tokens"),
    [
        ("claude-haiku-5-5", {"type": "disabled"}, VERDICT_TOKENS),
        ("claude-sonnet-5-5", {"type": "between_tools"}, VERDICT_TOKENS),
        # These cannot be stopped, and their thoughts count.
        ("claude-opus-5-5", None, MAX_TOKENS),
        ("a-name-of-a-gateway", None, MAX_TOKENS),
        # This one does not think by itself.
        ("claude-sonnet-4-6", None, VERDICT_TOKENS),
    ],
)
def test_verdicts_use_few_tokens_and_no_thinking_where_supported(
    model: str, thinking: dict[str, str] | None, tokens: int
) -> None:
    with ModelServer() as server:
        claude = claude_of(anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0),
                           {"grade_relevance": model, "generate": model})  # fmt: skip
        claude.judge("grade_relevance", RUBRIC, FIELDS, Relevance)
        claude.write("generate", RUBRIC, [Source("a.md", "A", ("One.",))], {"question": "?"})
    verdict, answer = server.requests
    assert (verdict.get("thinking"), verdict["max_tokens"]) == (thinking, tokens)
    assert ("thinking" in answer, answer["max_tokens"]) == (False, MAX_TOKENS)


def test_a_verdict_on_a_long_answer_has_room_for_its_claims() -> None:
    with ModelServer() as server:
        claude = claude_of(anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0))
        claude.judge("grade_support", RUBRIC, {**CLAIM, "answer": "25 days of leave. " * 150}, Support)
    assert VERDICT_TOKENS < server.requests[0]["max_tokens"] <= MAX_TOKENS


def test_the_first_way_is_by_provider_and_model() -> None:
    assert profile_of("claude-haiku-5-5").way == "json_schema"
    assert profile_of("us.anthropic.claude-haiku-5-5-v1:0").way == "forced_tool"
    assert profile_of("global.anthropic.claude-sonnet-5-5").way == "json_schema"
    assert "forced_tool" not in profile_of("anthropic.claude-opus-5-5").ways
