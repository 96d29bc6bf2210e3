"""Claude: the only place that knows the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. A reply that cannot
be used (a refusal, a cut reply, a wrong shape) is handed back as such, with the call that it cost;
only a call that got no reply raises.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, Protocol, TypeVar

import anthropic
from anthropic.types import Message
from aws_lambda_powertools.utilities import parameters
from pydantic import BaseModel, ValidationError

from selfrag.deadline import time_for_a_call
from selfrag.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.models import ModelCall
from selfrag.outbound import checked_url, host_of, http_client_for, unreachable
from selfrag.profiles import plain_request, profile_of, structured_request
from selfrag.prompts import Prompt, as_quoted_fields
from selfrag.settings import Settings, settings

V = TypeVar("V", bound=BaseModel)
Flaw = Literal["refused", "cut", "malformed"]

VERDICT_MAX_TOKENS = 4096
ANSWER_MAX_TOKENS = 4096
_CUT = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True)
class Judgement(Generic[V]):
    """A verdict, or None and the flaw of the reply, with the call that it cost."""

    verdict: V | None
    flaw: Flaw | None
    call: ModelCall


@dataclass(frozen=True)
class Cited:
    """A citation as the service gives it: a source's index, and a range of its text blocks."""

    source: int
    start_block: int
    end_block: int


@dataclass(frozen=True)
class Segment:
    """A run of the answer's text with the citations that stand behind it."""

    text: str
    citations: tuple[Cited, ...] = ()


@dataclass(frozen=True)
class Writing:
    """What the model wrote, and its flaw, if it refused or was cut."""

    segments: tuple[Segment, ...]
    flaw: Flaw | None
    call: ModelCall


@dataclass(frozen=True)
class Source:
    """A passage as the model is given it: its text in blocks, the smallest units it can cite."""

    name: str
    title: str
    blocks: tuple[str, ...]


class Claude(Protocol):
    """What the steps need of a language model."""

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Ask for a verdict on quoted fields."""

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Ask for text; `sources` are given with citations on."""

    def model_of(self, step: str) -> str:
        """The model id that the step is configured to use."""


class SdkClaude:
    """Claude by the anthropic SDK: no retries of its own, and no call past `deadline_ms`."""

    def __init__(self, client: Any, config: Settings, deadline_ms: float | None = None) -> None:
        self._client, self._config, self._deadline_ms = client, config, deadline_ms

    def model_of(self, step: str) -> str:
        """The model id that the step is configured to use."""
        return self._config.models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Ask for a verdict in the shape of a pydantic model, by the way that the model's family takes."""
        schema = anthropic.transform_schema(shape)
        wanted = structured_request(schema, profile_of(self.model_of(step)))
        message, call = self._send(
            step, prompt, [{"type": "text", "text": as_quoted_fields(fields)}], VERDICT_MAX_TOKENS, wanted
        )
        flaw = _flaw_of(message)
        if flaw:
            return Judgement(None, flaw, call)
        try:
            return Judgement(_read(message, shape), None, call)
        except ValidationError:
            return Judgement(None, "malformed", call)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Ask for an answer; the sources go as `search_result` blocks with citations on."""
        content: list[dict[str, Any]] = [_search_result(source) for source in sources]
        content.append({"type": "text", "text": as_quoted_fields(fields)})
        message, call = self._send(
            step, prompt, content, ANSWER_MAX_TOKENS, plain_request(profile_of(self.model_of(step)))
        )
        segments = tuple(_segment(block) for block in message.content if block.type == "text" and block.text)
        flaw = _flaw_of(message)
        if not flaw and not any(segment.text.strip() for segment in segments):
            flaw = "malformed"
        return Writing(segments, flaw, call)

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, Any]], max_tokens: int, wanted: dict[str, Any]
    ) -> tuple[Message, ModelCall]:
        messages = [{"role": "user", "content": content}]
        model, started = self.model_of(step), time.time()
        try:
            message = self._client.messages.create(
                model=model,
                max_tokens=max_tokens,
                # The rubric is the same for every question, so it is the part worth caching.
                system=[{"type": "text", "text": prompt.text, "cache_control": {"type": "ephemeral"}}],
                messages=messages,
                timeout=time_for_a_call(self._deadline_ms, self._config.model_timeout_seconds),
                **wanted,
            )
        except anthropic.AnthropicError as error:
            raise _typed(error, model, str(self._client.base_url)) from error
        if not isinstance(message, Message) or message.content is None:
            raise TemporarilyUnavailable(f"{model} sent a reply that is not a message")
        return message, _call(step, message, started)


def claude(deadline_ms: float | None = None) -> SdkClaude:
    """Claude as the deployment configures it; `deadline_ms` is in milliseconds since the epoch."""
    return SdkClaude(_client(), settings(), deadline_ms)


@cache
def _client() -> Any:
    config = settings()
    # The state machine owns waiting and retrying: the SDK would honour any `retry-after`, without a cap.
    options: dict[str, Any] = {"max_retries": 0, "timeout": config.model_timeout_seconds}
    if config.model_base_url:
        options["base_url"] = checked_url(config.model_base_url, "SELFRAG_MODEL_BASE_URL")
    options["http_client"] = http_client_for(config.model_base_url or "", anthropic.DefaultHttpxClient)
    try:
        if config.model_provider == "bedrock":
            return anthropic.AnthropicBedrock(**options)
        if config.model_provider == "aws":
            return anthropic.AnthropicAWS(**options)
        return anthropic.Anthropic(api_key=_api_key(config.model_secret), **options)
    except (anthropic.AnthropicError, ValueError) as error:
        raise Misconfigured(f"the {config.model_provider} client cannot be made: {error}") from error


def _api_key(secret: str) -> str:
    if not secret:
        raise Misconfigured("SELFRAG_MODEL_SECRET must name the secret that holds the API key of Claude")
    try:
        return str(parameters.get_secret(secret)).strip()
    except parameters.exceptions.GetParameterError as error:
        raise Misconfigured(f"the secret {secret} cannot be read") from error


def _typed(error: anthropic.AnthropicError, model: str, url: str) -> SelfragError:
    # Messages name the status only: the body may repeat the request, and so a question or a passage.
    if isinstance(error, anthropic.APITimeoutError):
        return TemporarilyUnavailable(f"{model} did not reply in time")
    if isinstance(error, anthropic.APIConnectionError):
        return unreachable(error, url)
    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code
        if status in (408, 409, 429) or status >= 500:
            return TemporarilyUnavailable(f"{model} is busy: status {status}")
        if status in (401, 402, 403, 404):
            return Misconfigured(_refusal(status, model, host_of(url)))
        return RequestRejected(f"{model} refused the request: status {status}")
    if isinstance(error, anthropic.APIResponseValidationError):
        return TemporarilyUnavailable(f"{model} sent a reply that cannot be read")
    return Misconfigured(f"the client of {model} is not usable: {type(error).__name__}")


def _refusal(status: int, model: str, host: str) -> str:
    if status == 401:
        return f"{host} refused the key: status 401"
    if status == 404:
        return f"{host} knows no {model}, or its base URL is wrong: status 404"
    return f"{host} does not let this key use {model}: status {status}"


def _flaw_of(message: Message) -> Flaw | None:
    if message.stop_reason == "refusal":
        return "refused"
    return "cut" if message.stop_reason in _CUT else None


def _read(message: Message, shape: type[V]) -> V:
    # A reply of a 5.x model may begin with a thinking block: blocks are found by type, never by position.
    for block in message.content:
        if block.type == "tool_use":
            return shape.model_validate(block.input)
    text = "".join(block.text for block in message.content if block.type == "text")
    return shape.model_validate_json(text)


def _search_result(source: Source) -> dict[str, Any]:
    return {
        "type": "search_result",
        "source": source.name,
        "title": source.title or source.name,
        "content": [{"type": "text", "text": block} for block in source.blocks],
        "citations": {"enabled": True},
    }


def _segment(block: Any) -> Segment:
    found = [c for c in block.citations or () if c.type == "search_result_location"]
    return Segment(
        block.text, tuple(Cited(c.search_result_index, c.start_block_index, c.end_block_index) for c in found)
    )


def _call(step: str, message: Message, started: float) -> ModelCall:
    usage = message.usage
    return ModelCall(
        step=step,
        model=message.model,
        started_at=round(started, 4),
        ended_at=round(time.time(), 4),
        stop_reason=message.stop_reason or "",
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_input_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_input_tokens=usage.cache_creation_input_tokens or 0,
    )
