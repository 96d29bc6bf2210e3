"""Requests of OpenAI's API as questions: the last message is the question, earlier ones are its history."""

import base64
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.openai.content import BEFORE_NOTES
from selfrag.api.openai.models import target_of
from selfrag.domain.base import Model
from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import MAX_ANSWER_CHARACTERS, MAX_QUESTION_CHARACTERS
from selfrag.domain.questions import MAX_HISTORY, AskRequest, EarlierExchange
from selfrag.domain.validation import Request, explain

_MARK = re.compile(r" ?\[\d{1,3}\]")
_TEXTS = ("text", "input_text", "output_text")
_ID_PREFIX = re.compile(r"(?:chatcmpl-|resp_)")


def _is_format(value: Any, field: str = "") -> bool:
    form = value.get(field) if field and isinstance(value, Mapping) else value
    return isinstance(form, Mapping) and form.get("type", "text") != "text"


# Fields whose values would change the form of the reply, with a test for unsupported values and the reason.
_REFUSED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "n": (lambda value: value != 1, "a question has one answer; leave it out"),
    "tool_choice": (lambda value: value not in ("auto", "none"), "selfrag calls no tools; send auto or none"),
    "response_format": (_is_format, "an answer is checked text; leave it out"),
    "text": (lambda value: _is_format(value, "format"), "an answer is checked text; leave it out"),
    "modalities": (lambda value: value != ["text"], "selfrag answers in text alone; leave it out"),
    "conversation": (bool, "selfrag keeps no conversations; send previous_response_id"),
}  # fmt: skip
_READ = {"model", "messages", "input", "stream", "stream_options", "metadata", "previous_response_id", "instructions"}


class ChatMessage(Model):
    """A message of a chat, or an item of `input`; items without a role are ignored."""

    model_config = ConfigDict(extra="allow")

    role: str = ""
    content: Annotated[str | list[dict[str, Any]], BeforeValidator(lambda content: content or "")] = ""

    @property
    def text(self) -> str:
        """Return the text of the message without other parts."""
        if isinstance(self.content, list):
            return "\n".join(str(part.get("text", "")) for part in self.content if part.get("type") in _TEXTS)
        return self.content


class CompatibleRequest(Request):
    """A request of either API; fields that have no meaning here are allowed."""

    model_config = ConfigDict(extra="allow")
    EXAMPLE: ClassVar[str] = (
        '{"model": "selfrag", "messages": [{"role": "user", "content": "How many days of leave?"}]}'
    )

    model: str
    messages: list[ChatMessage] = Field(default=[], description="Of the Chat Completions API.")
    input: str | list[ChatMessage] = Field(default=[], description="Of the Responses API.")
    instructions: Any = None
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    tool_choice: Any = None
    metadata: dict[str, str] | None = None
    previous_response_id: str | None = None

    @property
    def previous(self) -> str:
        """Return the id of the earlier reply that this one follows, "" for none."""
        return self.previous_response_id or (self.metadata or {}).get("previous", "")


def translate(request: CompatibleRequest) -> tuple[AskRequest, list[str]]:
    """Return the question of a request and the names of ignored fields.

    Raises InvalidInput for unsupported fields, ProblemError for an unknown model.
    """
    fields = {name: value for name, value in request if value not in (None, [], "")}
    for name, (is_refused, reason) in _REFUSED.items():
        if name in fields and is_refused(fields[name]):
            raise InvalidInput(f"{name} was not accepted: {reason}.")
    texts = [ChatMessage(role="user", content=request.input)] if isinstance(request.input, str) else request.input
    messages = [message for message in request.messages or texts if message.role]
    if not messages or messages[-1].role != "user":
        raise InvalidInput("The last message must be the user's question.")
    parts = messages[-1].content if isinstance(messages[-1].content, list) else []
    if others := {str(part.get("type")) for part in parts} - {*_TEXTS}:
        raise InvalidInput(f"The question has parts that are not text: {', '.join(sorted(others))}. Send text.")
    target = target_of(request.model)
    question = {
        "question": messages[-1].text,
        "policy": {"strategy": target.strategy} if target.strategy else {},
        "filters": {"collections": [target.collection]} if target.collection else {},
        "previous": _ID_PREFIX.sub("", request.previous, count=1),
        "history": [] if request.previous else _history(messages[:-1]),
    }
    try:
        ask = AskRequest.model_validate(question)
    except ValidationError as error:
        raise InvalidInput(explain(error, AskRequest)) from None
    has_system = request.instructions or any(message.role in ("system", "developer") for message in messages)
    return ask, sorted([*(fields.keys() - _READ), *(["system messages"] if has_system else [])])


def _history(messages: Iterable[ChatMessage]) -> list[EarlierExchange]:
    """Return the client's last exchanges, the newest last, cut to the limits of `history`."""
    exchanges: list[EarlierExchange] = []
    question = ""
    for message in messages:
        if message.role == "user":
            question = message.text.strip()[:MAX_QUESTION_CHARACTERS]
        elif message.role == "assistant" and question:
            answer = _MARK.sub("", message.text.partition(BEFORE_NOTES)[0]).strip()[:MAX_ANSWER_CHARACTERS]
            # An invalid exchange, such as an empty one, is left out.
            with suppress(ValidationError):
                exchanges += [EarlierExchange(question=question, answer=answer)] if answer else []
            question = ""
    return exchanges[-MAX_HISTORY:]


class Call:
    """A request to either API, with the fields that its replies repeat.

    `created` is in seconds since the epoch; paths of the API and the page follow `base_url`. Raises ValueError for
    another body.
    """

    def __init__(self, event: GatewayEvent) -> None:
        body, context = event.get("body") or "", event.get("requestContext", {})
        text = base64.b64decode(body) if event.get("isBase64Encoded") else body
        self.request = CompatibleRequest.model_validate_json(text)
        self.path = event["path"].rstrip("/")
        self.created = int(context.get("requestTimeEpoch", 1000 * time.time()) / 1000)
        headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
        # Only the laptop's server is reached by plain HTTP, without a proxy.
        origin = f"{headers.get('x-forwarded-proto', 'http')}://{headers.get('host', '')}"
        self.base_url = origin + str(context.get("path") or event["path"]).partition("/v1/")[0]

    @cached_property
    def translation(self) -> tuple[AskRequest, list[str]]:
        """Return the question and the names of ignored fields; raises InvalidInput or ProblemError."""
        return translate(self.request)

    def extend(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return the field `selfrag`: the whole response and the names of ignored fields."""
        return {**response, "ignored": self.translation[1]}
