"""What a caller may ask for: the question, the policy, and the errors in words."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from selfrag.documents import MAX_DOCUMENT_BYTES, MAX_TAGS
from selfrag.errors import InvalidInput
from selfrag.fields import Day, Key, Name, Question, Tag
from selfrag.models import Model
from selfrag.passages import Bounds


class Weights(Model):
    """How much IsRel, IsSup and IsUse count when answers are compared (arXiv 2310.11511, section 4.3)."""

    rel: float = Field(default=1.0, ge=0.0, le=10.0)
    sup: float = Field(default=1.0, ge=0.0, le=10.0)
    use: float = Field(default=0.5, ge=0.0, le=10.0)


class Policy(Model):
    """How a question is to be answered; every field has a default and a cap."""

    top_k: int = Field(default=4, ge=1, le=10)
    relevance_threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    min_utility: int = Field(default=3, ge=1, le=5)
    max_rewrites: int = Field(default=2, ge=0, le=4)
    max_regenerations: int = Field(default=1, ge=0, le=3)
    web_search: bool = True
    deadline_seconds: float = Field(default=25.0, ge=3.0, le=240.0)
    weights: Weights = Weights()


class Filters(Model):
    """Where to search, within what the caller may ask: null is everywhere, a list is nowhere else.

    `documents` are keys, whole ones. A document with one of the `tags` is meant, and one whose date is neither
    before `since` nor after `until`.
    """

    collections: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None
    documents: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None
    tags: Annotated[list[Tag], Field(min_length=1, max_length=100)] | None = None
    since: Day | None = None
    until: Day | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "Filters":
        if self.since and self.until and self.since > self.until:
            raise ValueError("since is later than until")
        return self

    def within(self, collections: Sequence[str]) -> Bounds:
        """The bounds of a search by a caller who may ask these collections."""
        asked = [name for name in collections if self.collections is None or name in self.collections]
        return Bounds(asked, self.documents, self.tags, self.since, self.until)


class AskRequest(Model):
    """A question as it comes in: over HTTP, or from the command line."""

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?"}'

    question: Question
    policy: Policy = Policy()
    previous: str = Field(default="", max_length=80, pattern=r"^[A-Za-z0-9_-]*$")
    filters: Filters = Filters()

    def execution_input(self, collections: list[str]) -> dict[str, Any]:
        """What the workflow gets: the request, and the collections that the caller may ask.

        `filters` does not change `collections`: whoever reads the answer has to be allowed all that its
        asker was, since an earlier answer may have had a part in it.
        """
        return {**self.model_dump(mode="json"), "collections": collections}


class UploadRequest(Model):
    """A document to come: its key is `collection/name.ext`, and the upload must have exactly `size` bytes.

    `tags` and `date` count in place of what the document says of itself.
    """

    EXAMPLE: ClassVar[str] = '{"key": "handbook/leave.md", "size": 2048}'

    key: Key
    size: int = Field(ge=1, le=MAX_DOCUMENT_BYTES)
    content_type: str = Field(default="", max_length=100, pattern=r"^([\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.-]+)*)?$")
    tags: list[Tag] = Field(default=[], max_length=MAX_TAGS)
    date: Day | None = None


def read_request(question: str, policy: str = "", previous: str = "", filters: str = "") -> AskRequest:
    """Check a request whose policy and filters are JSON text; raises InvalidInput with one sentence."""
    fields = {
        "question": question,
        "policy": _object("policy", policy, '{"top_k": 6}'),
        "previous": previous,
        "filters": _object("filters", filters, '{"tags": ["people"]}'),
    }
    try:
        return AskRequest.model_validate(fields)
    except ValidationError as error:
        raise InvalidInput(explain(error)) from error


def read_filters(filters: str) -> Filters:
    """The same for filters alone."""
    return read_request("?", filters=filters).filters


def _object(name: str, text: str, example: str) -> dict[str, Any]:
    try:
        fields: Any = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise InvalidInput(f"{name} is not valid JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise InvalidInput(f"{name} must be a JSON object such as {example}.")
    return fields


def explain(error: ValidationError) -> str:
    """Say in one sentence what is wrong with a request, without repeating what the caller sent."""
    return explain_errors(error.errors(include_url=False, include_input=False))


def explain_errors(
    errors: Sequence[Mapping[str, Any]], model: type[AskRequest] | type[UploadRequest] = AskRequest
) -> str:
    """The same for pydantic's list of errors about a `model`; the first is told."""
    first = errors[0]
    # What pydantic adds for a body or a header is no part of the field's name.
    known = first["loc"][0] if first["loc"] else ""
    parts = [str(part) for part in first["loc"][known in ("body", "header", "path", "query") :]]
    where = ".".join(parts)
    if first["type"] == "json_invalid":
        return "The body is not valid JSON."
    if not where:
        return f"The body must be a JSON object such as {model.EXAMPLE}."
    if first["type"] == "missing":
        return f"{where} is missing."
    if first["type"] == "extra_forbidden":
        return f"{_shortened(where)} does not exist; the fields are {', '.join(_fields_beside(parts, model))}."
    message = first["msg"].removeprefix("Value error, ")
    if where == "question":
        return f"The question was not accepted: {message}."
    return f"{where} was not accepted: {message[:1].lower()}{message[1:]}."


def _fields_beside(parts: Sequence[str], model: type[BaseModel]) -> Iterable[str]:
    for part in parts[:-1]:
        inner = model.model_fields[part].annotation
        if not isinstance(inner, type) or not issubclass(inner, BaseModel):
            break
        model = inner
    return model.model_fields


def _shortened(where: str) -> str:
    """A field's name as the caller wrote it, made safe to repeat."""
    printable = "".join(c if c.isprintable() else "?" for c in where)
    return printable if len(printable) <= 60 else f"{printable[:60]}..."
