"""Requests of OpenAI's API as questions: the last message is the question, earlier ones are its history."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

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
_SYSTEM = ("system", "developer")


class Message(Model):
    """A message of a chat, or an item of `input`; items of other kinds have no role, and are ignored."""

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
    """The fields that both requests of OpenAI's API share; fields without a meaning here are allowed."""

    model_config = ConfigDict(extra="allow")

    model: str
    stream: bool | None = None
    tool_choice: Any = None
    stream_options: dict[str, Any] | None = None
    metadata: dict[str, str] | None = None

    @property
    def includes_usage(self) -> bool:
        """Return whether a stream ends with a chunk of the usage."""
        return bool((self.stream_options or {}).get("include_usage"))

    @property
    def all_messages(self) -> list[Message]:
        """Return the messages, the oldest first."""
        raise NotImplementedError

    @property
    def previous(self) -> str:
        """Return the id of the earlier reply that this one follows, "" for none."""
        return (self.metadata or {}).get("previous", "")


class ChatRequest(CompatibleRequest):
    """A request of the Chat Completions API."""

    EXAMPLE: ClassVar[str] = (
        '{"model": "selfrag", "messages": [{"role": "user", "content": "How many days of leave?"}]}'
    )

    messages: list[Message] = Field(min_length=1)

    @property
    def all_messages(self) -> list[Message]:
        """Return the messages, the oldest first."""
        return self.messages


class ResponsesRequest(CompatibleRequest):
    """A request of the Responses API."""

    EXAMPLE: ClassVar[str] = '{"model": "selfrag", "input": "How many days of leave do I have?"}'

    input: str | list[Message]
    instructions: Any = None
    previous_response_id: str | None = None

    @property
    def all_messages(self) -> list[Message]:
        """Return the messages, the oldest first."""
        instructions = [Message(role="system")] if self.instructions else []
        return [
            *instructions,
            *([Message(role="user", content=self.input)] if isinstance(self.input, str) else self.input),
        ]

    @property
    def previous(self) -> str:
        """Return the id of the earlier reply that this one follows, "" for none."""
        return self.previous_response_id or super().previous


class Translation(NamedTuple):
    """A request as a question, and the names of what it holds besides, which has no effect here."""

    question: AskRequest
    ignored: list[str]


def _is_format(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("type", "text") != "text"


# What changes the reply in a way that a client relies on, and cannot be had here, with the reason.
_REFUSED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "n": (lambda value: value != 1, "a question has one answer; leave it out"),
    "tool_choice": (lambda value: value not in ("auto", "none"), "selfrag calls no tools; send auto or none"),
    "response_format": (_is_format, "an answer is checked text; leave it out"),
    "text": (lambda value: _is_format(value.get("format")), "an answer is checked text; leave it out"),
    "modalities": (lambda value: value != ["text"], "selfrag answers in text alone; leave it out"),
    "audio": (bool, "selfrag answers in text alone; leave it out"),
    "background": (bool, "POST /v1/questions starts a question and returns at once"),
    "conversation": (bool, "selfrag keeps no conversations; send previous_response_id"),
}  # fmt: skip
_READ = {"model", "messages", "input", "stream", "stream_options", "metadata", "previous_response_id", "instructions"}


def translate(request: CompatibleRequest) -> Translation:
    """Return a request as a question; raises InvalidInput for what cannot be had here, ProblemError for its model."""
    fields = {name: value for name, value in request if value is not None}
    for name, (is_refused, reason) in _REFUSED.items():
        if name in fields and is_refused(fields[name]):
            raise InvalidInput(f"{name} was not accepted: {reason}.")
    messages = [message for message in request.all_messages if message.role]
    if not messages or messages[-1].role != "user":
        raise InvalidInput("The last message must be the user's question.")
    question = messages[-1]
    parts = question.content if isinstance(question.content, list) else []
    if others := {str(part.get("type")) for part in parts} - {*_TEXTS}:
        kinds = ", ".join(sorted(others))
        raise InvalidInput(
            f"The question holds parts that are not text ({kinds}): send text; POST /v1/documents takes files."
        )
    target = target_of(request.model)
    asked_for = {
        "question": question.text,
        "policy": {"strategy": target.strategy} if target.strategy else {},
        "filters": {"collections": [target.collection]} if target.collection else {},
        **(
            {"previous": _ID_PREFIX.sub("", request.previous, count=1)}
            if request.previous
            else {"history": _history(messages[:-1])}
        ),
    }
    try:
        ask = AskRequest.model_validate(asked_for)
    except ValidationError as error:
        raise InvalidInput(explain(error, AskRequest)) from None
    has_system = any(message.role in _SYSTEM for message in messages)
    return Translation(ask, sorted([*(fields.keys() - _READ), *(["system messages"] if has_system else [])]))


def _history(messages: Iterable[Message]) -> list[EarlierExchange]:
    """Return the last exchanges as the client has them, the newest last, cut to what a question may carry."""
    exchanges: list[EarlierExchange] = []
    question = ""
    for message in messages:
        if message.role == "user":
            question = message.text.strip()[:MAX_QUESTION_CHARACTERS]
        elif message.role == "assistant" and question:
            answer = _MARK.sub("", message.text.partition(BEFORE_NOTES)[0]).strip()[:MAX_ANSWER_CHARACTERS]
            # An exchange that no question may carry, such as an empty one, helps nobody to understand the next.
            with suppress(ValidationError):
                exchanges += [EarlierExchange(question=question, answer=answer)] if answer else []
            question = ""
    return exchanges[-MAX_HISTORY:]
