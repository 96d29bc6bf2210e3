"""What a caller may ask for: a question with its policy and filters, or the upload of a document."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationError, model_validator

from selfrag.domain.base import Model
from selfrag.domain.documents import MAX_DOCUMENT_BYTES, MAX_TAGS
from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import Day, Key, Name, Question, Tag, Whole
from selfrag.domain.passages import Bounds
from selfrag.domain.policy import Policy as Policy  # for who asks a question under one
from selfrag.domain.policy import Weights as Weights
from selfrag.domain.validation import Request, explain


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


class AskRequest(Request):
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


class UploadRequest(Request):
    """A document to come: its key is `collection/name.ext`, and the upload must have exactly `size` bytes.

    `tags` and `date` count in place of what the document says of itself.
    """

    EXAMPLE: ClassVar[str] = '{"key": "handbook/leave.md", "size": 2048}'

    key: Key
    size: Whole = Field(ge=1, le=MAX_DOCUMENT_BYTES)
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
        raise InvalidInput(explain(error, AskRequest)) from error


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
