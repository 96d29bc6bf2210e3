"""Language models behind a service: the requests for a verdict or a text, and what becomes of their replies.

`judge` asks for a verdict in a given shape, `write` for text with citations. An unusable reply (a refusal, a cut reply,
a wrong shape) is returned as such, with the cost of its call; so is a missing reply. Errors that no retry would mend
are raised. Each API has a subclass, which makes the client and sends a request of the Messages API in its own form.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypedDict

from pydantic import BaseModel, ValidationError
from typing_extensions import override

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import CostBudget, Kind, reply_tokens
from selfrag.adapters.claude.messages import (
    Message,
    ReplyContent,
    call_of,
    content_of,
    flaw_of,
    mark_for,
    search_result,
    verdict_in,
)
from selfrag.adapters.claude.profiles import (
    MessagesRequest,
    Profile,
    PromptBlock,
    bedrock_request,
    instruction,
    plain_request,
    verdict_request,
)
from selfrag.adapters.numbered_sentences import cited_by_markers
from selfrag.domain.calls import ModelCall, price_of
from selfrag.domain.errors import RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.judging.prompts import quote_fields
from selfrag.ports.model import Claude, Judgement, ModelText, Prompt, Source, V
from selfrag.runtime.deadline import SHORTEST_CALL_SECONDS
from selfrag.runtime.pace import Pace, RequestFailure, RequestResult
from selfrag.runtime.settings import Settings

Schema = dict[str, object]


@cache
def plain_schema(shape: type[BaseModel]) -> Schema:
    """Return the JSON schema of a shape, without references, which some services do not follow."""
    schema = shape.model_json_schema()
    definitions = schema.pop("$defs", {})

    def resolve(part: Any) -> Any:
        if isinstance(part, list):
            return [resolve(item) for item in part]
        if not isinstance(part, dict):
            return part
        if reference := part.get("$ref"):
            return resolve(definitions[reference.rpartition("/")[2]])
        return {name: resolve(value) for name, value in part.items()}

    return dict(resolve(schema))


@dataclass(frozen=True)
class ModelReply:
    """A message, the call behind it, and the profile of the request."""

    message: Message
    call: ModelCall
    profile: Profile


class ServiceModel(Claude):
    """A model for one task; `pace` sends the requests, `cost_budget` limits their cost.

    `models` has each step's model id. `capabilities` are shared by the function. `with_another_key` returns a client
    with a rotated key after a refusal, or None.
    """

    # True if the service supports citations; otherwise sources are numbered sentences with markers.
    cites = False

    def __init__(
        self,
        client: Any,
        models: Mapping[str, str],
        pace: Pace,
        cost_budget: CostBudget,
        capabilities: Capabilities,
        with_another_key: Callable[[Any], Any | None] = lambda refused: None,
    ) -> None:
        self._client, self._models, self._pace, self._cost_budget = client, models, pace, cost_budget
        self._capabilities, self._with_another_key = capabilities, with_another_key

    @staticmethod
    @abstractmethod
    def connect(config: Settings, key: str, region: str | None = None) -> Any:
        """Return the client of the service that the settings name, "" being no key; raises Misconfigured."""

    @staticmethod
    @abstractmethod
    def profile(model: str) -> Profile:
        """Return the profile by which a model is asked first."""

    @staticmethod
    def schema(shape: type[BaseModel]) -> Schema:
        """Return the JSON schema of a verdict's shape, in the service's dialect."""
        return plain_schema(shape)

    @staticmethod
    @abstractmethod
    def read(client: Any, path: str) -> Any:
        """Return the JSON at a path of the server, None if there is none; raises the error of a server out of reach."""

    @abstractmethod
    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        """Return the reply to a request; raises RequestFailure where a retry may help, else the typed error."""

    @override
    def model_of(self, step: str) -> str:
        return self._models[step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Return a verdict in the shape of a pydantic model, requested in the way that its model takes."""
        blocks: list[dict[str, object]] = [{"type": "text", "text": quote_fields(fields)}]
        schema, sent = self.schema(shape), _Requests()
        while True:
            reply = self._send(step, prompt, blocks, sent, schema, str(fields.get("answer", "")))
            if reply.value is None:
                if sent.calls and not reply.requests:
                    # No further request could be sent, so the earlier reply is the reason.
                    return Judgement(None, "malformed", call=None, **sent.fields(replace(reply, error=None)))
                return Judgement(None, "unavailable", call=None, **sent.fields(reply))
            model_reply, report = reply.value, sent.fields(reply)
            content = content_of(model_reply.message, "verdict")
            flaw = flaw_of(model_reply.message, content)
            if content is None or flaw:
                return Judgement(None, flaw, call=model_reply.call, **report)
            try:
                verdict = verdict_in(content, shape)
            except ValidationError as error:
                if self._ignores_form(content, error):
                    sent.next_profile = self._capabilities.record_ignored(self.model_of(step), model_reply.profile)
                    if sent.next_profile:
                        sent.calls.append(model_reply.call)
                        continue
                return Judgement(None, "malformed", call=model_reply.call, **report)
            return Judgement(verdict, None, call=model_reply.call, **report)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Return an answer; the sources go as `search_result` blocks, with citations on where the service has them."""
        blocks: list[dict[str, object]] = [search_result(source) for source in sources]
        blocks.append({"type": "text", "text": quote_fields(fields)})
        sent = _Requests()
        reply = self._send(step, prompt, blocks, sent)
        report = sent.fields(reply)
        if reply.value is None:
            return ModelText((), "unavailable", call=None, **report)
        message, call = reply.value.message, reply.value.call
        content = content_of(message, "answer")
        flaw = flaw_of(message, content)
        if not flaw and content and not content.text.strip():
            flaw = "malformed"
        text = ModelText(content.segments if content else (), flaw, call=call, **report)
        return text if self.cites or not text.segments else cited_by_markers(text, sources)

    def _ignores_form(self, content: ReplyContent, error: ValidationError) -> bool:
        """Return whether a reply that is no verdict shows that the model ignored the form it was asked for."""
        return content.ignores_verdict

    def _send(
        self, step: str, prompt: Prompt, content: list[dict[str, object]], sent: "_Requests",
        schema: Schema | None = None, judged: str = "",
    ) -> RequestResult[ModelReply]:  # fmt: skip
        model = self.model_of(step)
        kind: Kind = "verdict" if schema else "answer"
        intervals = self._pace.intervals(step, model)

        def send(seconds: float) -> ModelReply:
            end = self._pace.now() + seconds
            while True:
                profile = sent.next_profile or self._capabilities.profile_for(model)
                request = self._request(model, prompt, content, schema, profile, intervals)
                # A writer's verdict may quote passages.
                most = reply_tokens("answer" if step == "generate" else kind, profile, judged)
                tokens = self._cost_budget.tokens_for(request, kind, most)
                started = self._pace.now()
                sent.number += 1
                try:
                    message = self._create(request, tokens, max(end - started, SHORTEST_CALL_SECONDS))
                except RequestRejected as rejected:
                    sent.next_profile = self._capabilities.record_refusal(model, profile, str(rejected.__cause__))
                    if sent.next_profile is None:
                        raise
                    continue
                call = call_of(step, message, started, self._pace.now(), self._cost_budget.prices, model)
                self._cost_budget.book_cost(call)
                if message.content is None and message.stop_reason != "refusal":
                    sent.calls.append(call)
                    raise unreadable_error(model)
                return ModelReply(message, call, profile)

        try:
            return self._pace.ask(step, model, send)
        except SelfragError as error:
            if not sent.calls:
                raise
            # Raised, it would take the cost of earlier requests with it.
            return RequestResult(None, error, requests=1, throttled=False)

    def _request(
        self, model: str, prompt: Prompt, content: list[dict[str, object]], schema: Schema | None, profile: Profile,
        intervals: Sequence[float],
    ) -> MessagesRequest:  # fmt: skip
        mark = mark_for(prompt.text, model, intervals, price_of(model, self._cost_budget.prices), hour=profile.hour)
        # The rubric is the same for every question, so it is the part that the prompt cache can serve.
        system: list[PromptBlock] = [{"type": "text", "text": prompt.text}]
        if mark:
            system[0]["cache_control"] = mark
        if schema and (words := instruction(json.dumps(schema, ensure_ascii=False), profile)):
            system.append({"type": "text", "text": words})
        messages: list[dict[str, object]] = [{"role": "user", "content": content}]
        form = verdict_request(schema, profile) if schema else plain_request(profile)
        return {"model": model, "system": system, "messages": messages, **form, **bedrock_request(model)}


def unreadable_error(model: str) -> RequestFailure:
    """Return the failure of a reply that is none."""
    return RequestFailure(TemporarilyUnavailable(f"{model} sent a reply that cannot be read"))


class _Report(TypedDict):
    attempts: int
    error: str | None
    cause: str
    throttled: bool
    earlier: tuple[ModelCall, ...]


class _Requests:
    """The requests of a step so far, and the paid `calls` among them whose replies did not serve.

    `next_profile` is the one to ask by next, None for the one that the function starts with.
    """

    def __init__(self) -> None:
        self.next_profile: Profile | None = None
        self.calls: list[ModelCall] = []
        self.number, self._throttled = 0, False

    def fields(self, reply: RequestResult[ModelReply]) -> _Report:
        """Return the fields of a judgement or a text that report all requests of the step."""
        error, cause = (type(reply.error).__name__, str(reply.error)) if reply.error else (None, "")
        self._throttled = self._throttled or reply.throttled
        return {
            "attempts": self.number, "error": error, "cause": cause, "throttled": self._throttled,
            "earlier": tuple(self.calls),
        }  # fmt: skip
