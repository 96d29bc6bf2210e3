"""Claude by the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. An unusable reply (a refusal, a cut reply,
a wrong shape) is returned as such, with the cost of its call; so is a missing reply. Errors that no retry would mend
are raised.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import anthropic
from anthropic.types import Message
from pydantic import BaseModel, ValidationError

from selfrag.adapters.claude.cache_control import mark_for
from selfrag.adapters.claude.messages import call_of, flaw_of, search_result, segment_of, verdict_in
from selfrag.adapters.claude.profiles import bedrock_request, plain_request, profile_of, structured_request
from selfrag.adapters.claude.purse import Kind, Purse
from selfrag.adapters.claude.sdk_errors import cost_nothing, understood
from selfrag.adapters.outbound import checked_url, http_client_for
from selfrag.domain.calls import ModelCall, Prices, price_of
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.ports.model import Judgement, Source, V, Writing
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.pace import Pace, Reply, Unanswered

Provider = Literal["anthropic", "bedrock", "aws"]
Said = tuple[Message, ModelCall]


def client_of(
    provider: Provider, api_key: str | None, base_url: str | None, seconds: float, region: str | None = None
) -> Any:
    """Return the SDK's client of a provider; raises Misconfigured.

    Only `anthropic` takes a key, only `bedrock` a region; without one, that of the environment.
    """
    # `Pace` owns the retries: the SDK would honour any `retry-after`, even past the deadline.
    options: dict[str, Any] = {"max_retries": 0, "timeout": seconds}
    if base_url:
        options["base_url"] = checked_url(base_url, "SELFRAG_MODEL_BASE_URL")
    options["http_client"] = http_client_for(base_url or "", anthropic.DefaultHttpxClient)
    try:
        if provider == "bedrock":
            return anthropic.AnthropicBedrock(aws_region=region, **options)
        if provider == "aws":
            return anthropic.AnthropicAWS(**options)
        return anthropic.Anthropic(api_key=api_key, **options)
    except (anthropic.AnthropicError, ValueError) as error:
        raise Misconfigured(f"the {provider} client cannot be made: {error}") from error


class SdkClaude:
    """Claude for one task; `pace` sends the requests, `budget_usd` limits their cost (None is no limit).

    `models` has the model id of each step, `prices` adds to the price table. `with_another_key` returns a client in
    place of one whose key was refused, since keys may be rotated; None if there is no other key.
    """

    def __init__(
        self,
        client: Any,
        models: Mapping[str, str],
        prices: Mapping[str, Prices],
        pace: Pace,
        budget_usd: float | None = None,
        with_another_key: Callable[[Any], Any | None] = lambda refused: None,
    ) -> None:
        self._client, self._models, self._prices = client, models, prices
        self._pace, self._purse = pace, Purse(budget_usd, prices)
        self._with_another_key = with_another_key

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Return a verdict in the shape of a pydantic model, requested as the model's family needs it."""
        schema = _schema(shape)
        wanted = structured_request(schema, profile_of(self.model_of(step)))
        reply = self._send(step, prompt, [{"type": "text", "text": as_quoted_fields(fields)}], wanted, "verdict")
        if reply.value is None:
            return Judgement(None, "unavailable", call=None, **_told(reply))
        message, call = reply.value
        flaw = flaw_of(message)
        if flaw:
            return Judgement(None, flaw, call=call, **_told(reply))
        try:
            return Judgement(verdict_in(message, shape), None, call=call, **_told(reply))
        except ValidationError:
            return Judgement(None, "malformed", call=call, **_told(reply))

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Return an answer; the sources go as `search_result` blocks with citations on."""
        content: list[dict[str, Any]] = [search_result(source) for source in sources]
        content.append({"type": "text", "text": as_quoted_fields(fields)})
        reply = self._send(step, prompt, content, plain_request(profile_of(self.model_of(step))), "answer")
        if reply.value is None:
            return Writing((), "unavailable", call=None, **_told(reply))
        message, call = reply.value
        segments = tuple(segment_of(block) for block in message.content if block.type == "text" and block.text)
        flaw = flaw_of(message)
        if not flaw and not any(segment.text.strip() for segment in segments):
            flaw = "malformed"
        return Writing(segments, flaw, call=call, **_told(reply))

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, Any]], wanted: dict[str, Any], kind: Kind
    ) -> Reply[Said]:
        model = self.model_of(step)
        mark = mark_for(prompt.text, model, self._pace.intervals(step, model), price_of(model, self._prices))
        # The rubric is the same for every question, so it is the part that the prompt cache can serve.
        rubric = {"type": "text", "text": prompt.text, **({"cache_control": mark} if mark else {})}
        messages = [{"role": "user", "content": content}]
        request = {"model": model, "system": [rubric], "messages": messages, **wanted, **bedrock_request(model)}

        def send(seconds: float) -> Said:
            tokens, started = self._purse.tokens_for(request, kind), self._pace.now()
            message = self._create({**request, "max_tokens": tokens}, seconds)
            call = call_of(step, message, started, self._pace.now(), self._prices)
            self._purse.paid(call)
            return message, call

        return self._pace.ask(step, model, send)

    def _create(self, request: dict[str, Any], seconds: float) -> Message:
        model, url = request["model"], str(self._client.base_url)
        try:
            message = self._client.messages.create(**request, timeout=seconds)
        except anthropic.AnthropicError as error:
            if not cost_nothing(error):
                self._purse.lost()
            renewed = self._with_another_key(self._client) if isinstance(error, anthropic.AuthenticationError) else None
            if renewed is None:
                raise understood(error, model, url, self._pace.now()) from error
            self._client = renewed
            raise Unanswered(TemporarilyUnavailable(f"{model} has another key now"), after=0.0) from error
        if not isinstance(message, Message) or message.content is None:
            self._purse.lost()
            raise Unanswered(TemporarilyUnavailable(f"{model} sent a reply that is not a message"))
        return message


@cache
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    return anthropic.transform_schema(shape)


def _told(reply: Reply[Said]) -> dict[str, Any]:
    """Return the fields of a judgement or a text that report its requests."""
    error, cause = (type(reply.error).__name__, str(reply.error)) if reply.error else (None, "")
    return {"attempts": reply.requests, "error": error, "cause": cause, "throttled": reply.throttled}
