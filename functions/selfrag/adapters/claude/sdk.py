"""Claude by the anthropic SDK.

`judge` asks for a verdict in a given shape, `write` for text with citations. An unusable reply (a refusal, a cut reply,
a wrong shape) is returned as such, with the cost of its call; so is a missing reply. Errors that no retry would mend
are raised.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Literal, TypedDict

import anthropic
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.messages import (
    Message,
    ReplyContent,
    call_of,
    content_of,
    flaw_of,
    mark_for,
    message_of,
    search_result,
    verdict_in,
)
from selfrag.adapters.claude.profiles import (
    MessagesRequest,
    Profile,
    PromptBlock,
    RequestParameters,
    bedrock_request,
    instruction,
    plain_request,
    verdict_request,
)
from selfrag.adapters.claude.purse import MOST_TOKENS, Kind, Purse, verdict_tokens
from selfrag.adapters.outbound import checked_url, host_of, http_client_for, unreachable
from selfrag.domain.calls import ModelCall, Prices, price_of
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.ports.model import Claude, Judgement, ModelText, Source, V
from selfrag.ports.prompts import Prompt, as_quoted_fields
from selfrag.runtime.deadline import SHORTEST_CALL_SECONDS
from selfrag.runtime.pace import Pace, RequestFailure, RequestResult

Provider = Literal["anthropic", "bedrock", "aws"]


@dataclass(frozen=True)
class ReplyKind:
    """A request's kind of reply, its parameters and its words after the rubric by profile, and its most tokens."""

    kind: Kind
    parameters: Callable[[Profile], RequestParameters]
    instruction: Callable[[Profile], str]
    tokens: Callable[[Profile], int]


ANSWER = ReplyKind("answer", plain_request, lambda profile: "", lambda profile: MOST_TOKENS)


def verdict_on(step: str, fields: Mapping[str, object], shape: type[BaseModel]) -> ReplyKind:
    """Return what a step's request for a verdict of this shape on these fields asks for."""
    schema = _schema(shape)

    def tokens(profile: Profile) -> int:
        # A writer's verdict may quote passages.
        if step == "generate":
            return MOST_TOKENS
        return verdict_tokens(str(fields.get("answer", "")), thinks=profile.thinks and not profile.thinking)

    return ReplyKind(
        "verdict",
        lambda profile: verdict_request(schema, profile),
        lambda profile: instruction(json.dumps(schema, ensure_ascii=False), profile),
        tokens,
    )


@cache
def _schema(shape: type[BaseModel]) -> dict[str, object]:
    return anthropic.transform_schema(shape)


@dataclass(frozen=True)
class ModelReply:
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


class SdkClaude(Claude):
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

    @override
    def model_of(self, step: str) -> str:
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Return a verdict in the shape of a pydantic model, requested in the way that its model takes."""
        blocks: list[dict[str, object]] = [{"type": "text", "text": as_quoted_fields(fields)}]
        reply_kind, sent = verdict_on(step, fields, shape), _Requests()
        while True:
            reply = self._send(step, prompt, blocks, reply_kind, sent)
            if reply.value is None:
                if sent.ignored and not reply.requests:
                    # No further request could be sent, so the earlier reply is the reason.
                    return Judgement(None, "malformed", call=None, **sent.fields(replace(reply, error=None)))
                return Judgement(None, "unavailable", call=None, **sent.fields(reply))
            model_reply, report = reply.value, sent.fields(reply)
            content = content_of(model_reply.message, reply_kind.kind)
            flaw = flaw_of(model_reply.message, content)
            if content is None or flaw:
                return Judgement(None, flaw, call=model_reply.call, **report)
            try:
                verdict = verdict_in(content, shape)
            except ValidationError as error:
                if not (self._ignores_form(content, error) and sent.asks_otherwise(model_reply.profile)):
                    return Judgement(None, "malformed", call=model_reply.call, **report)
                sent.calls.append(model_reply.call)
                continue
            self._capabilities.ignored(self.model_of(step), sent.ignored)
            return Judgement(verdict, None, call=model_reply.call, **report)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Return an answer; the sources go as `search_result` blocks with citations on."""
        blocks: list[dict[str, object]] = [search_result(source) for source in sources]
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

    def _ignores_form(self, content: ReplyContent, error: ValidationError) -> bool:
        """Return whether a reply that is no verdict shows that the model ignored the form it was asked for."""
        return content.ignores_verdict

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, object]], reply_kind: ReplyKind, sent: "_Requests"
    ) -> RequestResult[ModelReply]:
        model = self.model_of(step)
        intervals = self._pace.intervals(step, model)

        def send(seconds: float) -> ModelReply:
            end = self._pace.now() + seconds
            while True:
                profile = sent.next_profile or self._capabilities.of(model)
                request = self._request(model, prompt, content, reply_kind, profile, intervals)
                tokens = self._purse.tokens_for(request, reply_kind.kind, reply_kind.tokens(profile))
                started = self._pace.now()
                sent.number += 1
                try:
                    message = self._create(request, tokens, max(end - started, SHORTEST_CALL_SECONDS))
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
                return ModelReply(message, call, profile)

        try:
            return self._pace.ask(step, model, send)
        except SelfragError as error:
            if not sent.calls:
                raise
            # Raised, it would take the cost of earlier requests with it.
            return RequestResult(None, error, requests=1, throttled=False)

    def _request(
        self, model: str, prompt: Prompt, content: list[dict[str, object]], reply_kind: ReplyKind, profile: Profile,
        intervals: Sequence[float],
    ) -> MessagesRequest:  # fmt: skip
        mark = mark_for(prompt.text, model, intervals, price_of(model, self._prices), hour=profile.hour)
        # The rubric is the same for every question, so it is the part that the prompt cache can serve.
        system: list[PromptBlock] = [{"type": "text", "text": prompt.text}]
        if mark:
            system[0]["cache_control"] = mark
        if words := reply_kind.instruction(profile):
            system.append({"type": "text", "text": words})
        messages: list[dict[str, object]] = [{"role": "user", "content": content}]
        parameters: RequestParameters = {**reply_kind.parameters(profile), **bedrock_request(model)}
        return {"model": model, "system": system, "messages": messages, **parameters}

    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        model, url = request["model"], str(self._client.base_url)
        try:
            message = message_of(self._client.messages.create(**request, max_tokens=max_tokens, timeout=seconds))
        except anthropic.AnthropicError as error:
            # The service bills no request that it answers with an error.
            if not isinstance(error, anthropic.APIStatusError):
                self._purse.lost()
            renewed = self._with_another_key(self._client) if isinstance(error, anthropic.AuthenticationError) else None
            if renewed is None:
                raise exception_for(error, model, url, self._pace.now()) from error
            self._client = renewed
            raise RequestFailure(TemporarilyUnavailable(f"{model} has another key now"), after=0.0) from error
        except (ValueError, RecursionError):  # the SDK could not read the body as JSON
            message = None
        if message is None:
            self._purse.lost()
            raise _unreadable(model)
        return message


def _unreadable(model: str) -> RequestFailure:
    return RequestFailure(TemporarilyUnavailable(f"{model} sent a reply that cannot be read"))


class _Report(TypedDict):
    attempts: int
    error: str | None
    cause: str
    throttled: bool
    earlier: tuple[ModelCall, ...]


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

    def fields(self, reply: RequestResult[ModelReply]) -> _Report:
        """Return the fields of a judgement or a text that report all requests of the step."""
        error, cause = (type(reply.error).__name__, str(reply.error)) if reply.error else (None, "")
        self._throttled = self._throttled or reply.throttled
        return {
            "attempts": self.number, "error": error, "cause": cause, "throttled": self._throttled,
            "earlier": tuple(self.calls),
        }  # fmt: skip


def exception_for(error: anthropic.AnthropicError, model: str, url: str, now: float) -> RequestFailure | SelfragError:
    """Return the exception to raise for an error of the SDK; `now` is in seconds since the epoch."""
    typed_error = typed(error, model, url)
    if not isinstance(typed_error, TemporarilyUnavailable):
        return typed_error
    return RequestFailure(typed_error, retry_after(error, now), throttled=isinstance(error, anthropic.RateLimitError))


def retry_after(error: anthropic.AnthropicError, now: float) -> float | None:
    """Return the seconds after which the service allows a retry, None if it does not say.

    The header is in milliseconds (`retry-after-ms`, which the SDK knows too), in seconds or a date.
    """
    if not isinstance(error, anthropic.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return max(0.0, seconds) if not math.isnan(seconds) else None
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except ValueError:
        return None


def typed(error: anthropic.AnthropicError, model: str, url: str) -> SelfragError:
    """Return selfrag's error for an error of the SDK."""
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
