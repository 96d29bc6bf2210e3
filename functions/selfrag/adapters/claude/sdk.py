"""Claude, asked by the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. A reply that cannot
be used (a refusal, a cut reply, a wrong shape) is handed back as such, with the call that it cost;
only a call that got no reply raises.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import anthropic
from anthropic.types import Message
from pydantic import ValidationError

from selfrag.adapters.claude.faults import typed
from selfrag.adapters.claude.messages import call_of, flaw_of, search_result, segment_of, verdict_in
from selfrag.adapters.claude.profiles import bedrock_request, plain_request, profile_of, structured_request
from selfrag.adapters.outbound import checked_url, http_client_for
from selfrag.domain.calls import ModelCall
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.ports.model import Judgement, Source, V, Writing
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.deadline import time_for_a_call

Provider = Literal["anthropic", "bedrock", "aws"]

VERDICT_MAX_TOKENS = 4096
ANSWER_MAX_TOKENS = 4096


def client_of(provider: Provider, api_key: str | None, base_url: str | None, seconds: float) -> Any:
    """The SDK's client of a provider, of which only `anthropic` takes a key; raises Misconfigured."""
    # The state machine owns waiting and retrying: the SDK would honour any `retry-after`, without a cap.
    options: dict[str, Any] = {"max_retries": 0, "timeout": seconds}
    if base_url:
        options["base_url"] = checked_url(base_url, "SELFRAG_MODEL_BASE_URL")
    options["http_client"] = http_client_for(base_url or "", anthropic.DefaultHttpxClient)
    try:
        if provider == "bedrock":
            return anthropic.AnthropicBedrock(**options)
        if provider == "aws":
            return anthropic.AnthropicAWS(**options)
        return anthropic.Anthropic(api_key=api_key, **options)
    except (anthropic.AnthropicError, ValueError) as error:
        raise Misconfigured(f"the {provider} client cannot be made: {error}") from error


class SdkClaude:
    """Claude by the anthropic SDK: no retries of its own, and no call past `deadline_ms`.

    `models` has the model id of each step, `seconds` is the most that one call may take. `with_another_key` gives the
    client to use in place of one whose key was refused, which may have been rotated; None if there is no other key.
    """

    def __init__(
        self,
        client: Any,
        models: Mapping[str, str],
        seconds: float,
        deadline_ms: float | None = None,
        with_another_key: Callable[[Any], Any | None] = lambda refused: None,
    ) -> None:
        self._client, self._models = client, models
        self._seconds, self._deadline_ms = seconds, deadline_ms
        self._with_another_key = with_another_key

    def model_of(self, step: str) -> str:
        """The model id that the step is configured to use."""
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Ask for a verdict in the shape of a pydantic model, by the way that the model's family takes."""
        schema = anthropic.transform_schema(shape)
        wanted = structured_request(schema, profile_of(self.model_of(step)))
        message, call = self._send(
            step, prompt, [{"type": "text", "text": as_quoted_fields(fields)}], VERDICT_MAX_TOKENS, wanted
        )
        flaw = flaw_of(message)
        if flaw:
            return Judgement(None, flaw, call)
        try:
            return Judgement(verdict_in(message, shape), None, call)
        except ValidationError:
            return Judgement(None, "malformed", call)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Ask for an answer; the sources go as `search_result` blocks with citations on."""
        content: list[dict[str, Any]] = [search_result(source) for source in sources]
        content.append({"type": "text", "text": as_quoted_fields(fields)})
        message, call = self._send(
            step, prompt, content, ANSWER_MAX_TOKENS, plain_request(profile_of(self.model_of(step)))
        )
        segments = tuple(segment_of(block) for block in message.content if block.type == "text" and block.text)
        flaw = flaw_of(message)
        if not flaw and not any(segment.text.strip() for segment in segments):
            flaw = "malformed"
        return Writing(segments, flaw, call)

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, Any]], max_tokens: int, wanted: dict[str, Any]
    ) -> tuple[Message, ModelCall]:
        messages = [{"role": "user", "content": content}]
        model, started = self.model_of(step), time.time()
        try:
            message = self._create(
                model=model,
                max_tokens=max_tokens,
                # The rubric is the same for every question, so it is the part worth caching.
                system=[{"type": "text", "text": prompt.text, "cache_control": {"type": "ephemeral"}}],
                messages=messages,
                **wanted,
                **bedrock_request(model),
            )
        except anthropic.AnthropicError as error:
            raise typed(error, model, str(self._client.base_url)) from error
        if not isinstance(message, Message) or message.content is None:
            raise TemporarilyUnavailable(f"{model} sent a reply that is not a message")
        return message, call_of(step, message, started)

    def _create(self, **request: Any) -> Any:
        try:
            return self._client.messages.create(**request, timeout=time_for_a_call(self._deadline_ms, self._seconds))
        except anthropic.AuthenticationError:
            renewed = self._with_another_key(self._client)
            if renewed is None:
                raise
            self._client = renewed
        return self._client.messages.create(**request, timeout=time_for_a_call(self._deadline_ms, self._seconds))
