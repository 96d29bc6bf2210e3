"""Claude by the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. An unusable reply (a refusal, a cut reply,
a wrong shape) is returned as such, with the cost of its call; so is a missing reply. Errors that no retry would mend
are raised.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import anthropic
from anthropic.types import Message
from pydantic import ValidationError

from selfrag.adapters.claude.cache_control import mark_for
from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.messages import call_of, flaw_of, has_called, search_result, segment_of, verdict_in
from selfrag.adapters.claude.profiles import Profile, bedrock_request
from selfrag.adapters.claude.purse import Purse
from selfrag.adapters.claude.reply_kinds import ANSWER, Wanted, verdict_on
from selfrag.adapters.claude.sdk_errors import cost_nothing, understood
from selfrag.adapters.outbound import checked_url, http_client_for
from selfrag.domain.calls import ModelCall, Prices, price_of
from selfrag.domain.errors import Misconfigured, RequestRejected, TemporarilyUnavailable
from selfrag.ports.model import Judgement, Source, V, Writing
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.deadline import SHORTEST_CALL_SECONDS
from selfrag.runtime.pace import Pace, Reply, Unanswered

Provider = Literal["anthropic", "bedrock", "aws"]


@dataclass(frozen=True)
class Said:
    """A message, the call behind it, and the profile of the request."""

    message: Message
    call: ModelCall
    profile: Profile


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
    place of one whose key was refused, since keys may be rotated; None if there is no other key. `capabilities` is what
    the function knows of its models.
    """

    def __init__(
        self,
        client: Any,
        models: Mapping[str, str],
        prices: Mapping[str, Prices],
        pace: Pace,
        budget_usd: float | None = None,
        with_another_key: Callable[[Any], Any | None] = lambda refused: None,
        capabilities: Capabilities | None = None,
    ) -> None:
        self._client, self._models, self._prices = client, models, prices
        self._pace, self._purse = pace, Purse(budget_usd, prices)
        self._with_another_key = with_another_key
        self._capabilities = capabilities or Capabilities()

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Return a verdict in the shape of a pydantic model, requested in the way that its model takes."""
        content = [{"type": "text", "text": as_quoted_fields(fields)}]
        wanted, earlier = verdict_on(step, fields, shape), _Earlier()
        while True:
            reply = self._send(step, prompt, content, wanted)
            told = earlier.told(reply)
            if reply.value is None:
                return Judgement(None, "unavailable", call=None, **told)
            said = reply.value
            flaw = flaw_of(said.message)
            if flaw:
                return Judgement(None, flaw, call=said.call, **told)
            try:
                in_words = said.profile.way in ("offered_tool", "words")
                return Judgement(verdict_in(said.message, shape, in_words=in_words), None, call=said.call, **told)
            except ValidationError:
                if has_called(said.message) or not self._capabilities.not_called(self.model_of(step), said.profile):
                    return Judgement(None, "malformed", call=said.call, **told)
            earlier.add(reply, said.call)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Return an answer; the sources go as `search_result` blocks with citations on."""
        content: list[dict[str, Any]] = [search_result(source) for source in sources]
        content.append({"type": "text", "text": as_quoted_fields(fields)})
        reply = self._send(step, prompt, content, ANSWER)
        told = _Earlier().told(reply)
        if reply.value is None:
            return Writing((), "unavailable", call=None, **told)
        message, call = reply.value.message, reply.value.call
        segments = tuple(segment_of(block) for block in message.content if block.type == "text" and block.text)
        flaw = flaw_of(message)
        if not flaw and not any(segment.text.strip() for segment in segments):
            flaw = "malformed"
        return Writing(segments, flaw, call=call, **told)

    def _send(self, step: str, prompt: Prompt, content: list[dict[str, Any]], wanted: Wanted) -> Reply[Said]:
        model, refusals = self.model_of(step), 0
        intervals = self._pace.intervals(step, model)

        def send(seconds: float) -> Said:
            nonlocal refusals
            end = self._pace.now() + seconds
            while True:
                profile = self._capabilities.of(model)
                request = self._request(model, prompt, content, wanted, profile, intervals)
                tokens = self._purse.tokens_for(request, wanted.kind, wanted.tokens(profile))
                started = self._pace.now()
                try:
                    message = self._create({**request, "max_tokens": tokens}, max(end - started, SHORTEST_CALL_SECONDS))
                except RequestRejected as rejected:
                    if not self._capabilities.refused(model, profile, str(rejected.__cause__)):
                        raise
                    refusals += 1
                    continue
                call = call_of(step, message, started, self._pace.now(), self._prices, model)
                self._purse.paid(call)
                return Said(message, call, profile)

        reply = self._pace.ask(step, model, send)
        return replace(reply, requests=reply.requests + refusals)

    def _request(
        self, model: str, prompt: Prompt, content: list[dict[str, Any]], wanted: Wanted, profile: Profile,
        intervals: Sequence[float],
    ) -> dict[str, Any]:  # fmt: skip
        mark = mark_for(prompt.text, model, intervals, price_of(model, self._prices), hour=profile.hour)
        # The rubric is the same for every question, so it is the part that the prompt cache can serve.
        system = [{"type": "text", "text": prompt.text, **({"cache_control": mark} if mark else {})}]
        if words := wanted.instruction(profile):
            system.append({"type": "text", "text": words})
        messages = [{"role": "user", "content": content}]
        parameters = {**wanted.parameters(profile), **bedrock_request(model)}
        return {"model": model, "system": system, "messages": messages, **parameters}

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


class _Earlier:
    """The requests of a verdict whose replies did not serve."""

    def __init__(self) -> None:
        self._calls: tuple[ModelCall, ...] = ()
        self._requests, self._throttled = 0, False

    def add(self, reply: Reply[Said], call: ModelCall) -> None:
        self._calls += (call,)
        self._requests += reply.requests
        self._throttled = self._throttled or reply.throttled

    def told(self, reply: Reply[Said]) -> dict[str, Any]:
        """Return the fields of a judgement or a text that report its requests, those before it included."""
        error, cause = (type(reply.error).__name__, str(reply.error)) if reply.error else (None, "")
        return {
            "attempts": self._requests + reply.requests, "error": error, "cause": cause,
            "throttled": self._throttled or reply.throttled, "earlier": self._calls,
        }  # fmt: skip
