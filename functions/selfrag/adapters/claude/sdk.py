"""Claude by the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. An unusable reply (a refusal, a cut reply,
a wrong shape) is returned as such, with the cost of its call; so is a missing reply. Errors that no retry would mend
are raised.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import anthropic
from pydantic import ValidationError

from selfrag.adapters.claude.cache_control import mark_for
from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.messages import (
    Message,
    call_of,
    content_of,
    flaw_of,
    message_of,
    search_result,
    verdict_in,
)
from selfrag.adapters.claude.profiles import Profile, bedrock_request
from selfrag.adapters.claude.purse import Purse
from selfrag.adapters.claude.reply_kinds import ANSWER, Wanted, verdict_on
from selfrag.adapters.claude.sdk_errors import understood
from selfrag.adapters.outbound import checked_url, http_client_for
from selfrag.domain.calls import ModelCall, Prices, price_of
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.ports.model import Judgement, ModelText, Source, V
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
        blocks = [{"type": "text", "text": as_quoted_fields(fields)}]
        wanted, sent = verdict_on(step, fields, shape), _Requests()
        while True:
            reply = self._send(step, prompt, blocks, wanted, sent)
            if reply.value is None:
                if sent.ignored and not reply.requests:
                    # No further request could be sent, so the earlier reply is the reason.
                    return Judgement(None, "malformed", call=None, **sent.fields(replace(reply, error=None)))
                return Judgement(None, "unavailable", call=None, **sent.fields(reply))
            said, report = reply.value, sent.fields(reply)
            content = content_of(said.message, wanted.kind)
            flaw = flaw_of(said.message, content)
            if content is None or flaw:
                return Judgement(None, flaw, call=said.call, **report)
            try:
                verdict = verdict_in(content, shape)
            except ValidationError:
                if not (content.ignores_verdict and sent.asks_otherwise(said.profile)):
                    return Judgement(None, "malformed", call=said.call, **report)
                sent.calls.append(said.call)
                continue
            self._capabilities.ignored(self.model_of(step), sent.ignored)
            return Judgement(verdict, None, call=said.call, **report)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> ModelText:
        """Return an answer; the sources go as `search_result` blocks with citations on."""
        blocks: list[dict[str, Any]] = [search_result(source) for source in sources]
        blocks.append({"type": "text", "text": as_quoted_fields(fields)})
        sent = _Requests()
        reply = self._send(step, prompt, blocks, ANSWER, sent)
        report = sent.fields(reply)
        if reply.value is None:
            return ModelText((), "unavailable", call=None, **report)
        message, call = reply.value.message, reply.value.call
        content = content_of(message, ANSWER.kind)
        flaw = flaw_of(message, content)
        if not flaw and content and not content.text.strip():
            flaw = "malformed"
        return ModelText(content.segments if content else (), flaw, call=call, **report)

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, Any]], wanted: Wanted, sent: "_Requests"
    ) -> Reply[Said]:
        model = self.model_of(step)
        intervals = self._pace.intervals(step, model)

        def send(seconds: float) -> Said:
            end = self._pace.now() + seconds
            while True:
                profile = sent.next_profile or self._capabilities.of(model)
                request = self._request(model, prompt, content, wanted, profile, intervals)
                tokens = self._purse.tokens_for(request, wanted.kind, wanted.tokens(profile))
                started = self._pace.now()
                sent.number += 1
                try:
                    message = self._create({**request, "max_tokens": tokens}, max(end - started, SHORTEST_CALL_SECONDS))
                except RequestRejected as rejected:
                    sent.next_profile = self._capabilities.refused(model, profile, str(rejected.__cause__))
                    if sent.next_profile is None:
                        raise
                    continue
                call = call_of(step, message, started, self._pace.now(), self._prices, model)
                self._purse.paid(call)
                if message.content is None and message.stop_reason != "refusal":
                    sent.calls.append(call)
                    raise _unreadable(model)
                return Said(message, call, profile)

        try:
            return self._pace.ask(step, model, send)
        except SelfragError as error:
            if not sent.calls:
                raise
            # Raised, it would take the cost of earlier requests with it.
            return Reply(None, error, requests=1, throttled=False)

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
            message = message_of(self._client.messages.create(**request, timeout=seconds))
        except anthropic.AnthropicError as error:
            # The service bills no request that it answers with an error.
            if not isinstance(error, anthropic.APIStatusError):
                self._purse.lost()
            renewed = self._with_another_key(self._client) if isinstance(error, anthropic.AuthenticationError) else None
            if renewed is None:
                raise understood(error, model, url, self._pace.now()) from error
            self._client = renewed
            raise Unanswered(TemporarilyUnavailable(f"{model} has another key now"), after=0.0) from error
        except (ValueError, RecursionError):  # the SDK could not read the body as JSON
            message = None
        if message is None:
            self._purse.lost()
            raise _unreadable(model)
        return message


def _unreadable(model: str) -> Unanswered:
    return Unanswered(TemporarilyUnavailable(f"{model} sent a reply that cannot be read"))


class _Requests:
    """The requests of a step so far, and the paid `calls` among them whose replies did not serve.

    `ignored` has the profiles of those that were answered as if nothing had been said of the verdict's form;
    `next_profile` is the one to ask by next, None for the one that the function starts with.
    """

    def __init__(self) -> None:
        self.ignored: list[Profile] = []
        self.next_profile: Profile | None = None
        self.calls: list[ModelCall] = []
        self.number, self._throttled = 0, False

    def asks_otherwise(self, ignored: Profile) -> bool:
        """Go on to the next way after an ignored one; returns whether there is one."""
        if len(ignored.ways) == 1:
            return False
        self.ignored.append(ignored)
        self.next_profile = ignored.without(ignored.way)
        return True

    def fields(self, reply: Reply[Said]) -> dict[str, Any]:
        """Return the fields of a judgement or a text that report all requests of the step."""
        error, cause = (type(reply.error).__name__, str(reply.error)) if reply.error else (None, "")
        self._throttled = self._throttled or reply.throttled
        return {
            "attempts": self.number, "error": error, "cause": cause, "throttled": self._throttled,
            "earlier": tuple(self.calls),
        }  # fmt: skip
