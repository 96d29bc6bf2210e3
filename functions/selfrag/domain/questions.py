"""Requests of a caller: a question with policy and filters, or a document upload."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationError, model_validator

from selfrag.domain.answers import Exchange
from selfrag.domain.base import Model
from selfrag.domain.documents import MAX_DOCUMENT_BYTES, MAX_TAGS
from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import AnswerText, Day, Key, Name, Question, Tag, Whole
from selfrag.domain.passages import Bounds
from selfrag.domain.policy import Policy as Policy  # re-exported for code that builds requests
from selfrag.domain.policy import Weights as Weights
from selfrag.domain.validation import Request, explain

# A question is read in the light of two exchanges before it.
MAX_HISTORY = 2


class Filters(Model):
    """Bounds of a search; null is everywhere, within the collections of the binding.

    `documents` are full keys; one that ends in a slash is a folder with its subfolders. A document matches if it has
    one of the `tags`, and a date neither before `since` nor after `until`.
    """

    collections: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None
    documents: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None
    tags: Annotated[list[Tag], Field(min_length=1, max_length=100)] | None = None
    since: Day | None = None
    until: Day | None = None

    @model_validator(mode="after")
    def _check_order(self) -> "Filters":
        if self.since and self.until and self.since > self.until:
            raise ValueError("since is later than until")
        return self

    def search_bounds(self, collections: Sequence[str]) -> Bounds:
        """Return the search bounds of a question with these collections."""
        searched = [name for name in collections if self.collections is None or name in self.collections]
        return Bounds(searched, self.documents, self.tags, self.since, self.until)


class EarlierExchange(Exchange):
    """An exchange from the client; it gives a question context, but is not evidence."""

    question: Question
    answer: AnswerText


class AskRequest(Request):
    """A question as received by HTTP or the command line.

    A follow-up names the earlier answer (`previous`) or brings the last exchanges (`history`, the newest last).
    """

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?"}'

    question: Question
    policy: Policy = Policy()
    previous: str = Field(default="", max_length=80, pattern=r"^[A-Za-z0-9_-]*$")
    filters: Filters = Filters()
    # Left out if empty, so that requests without it are the same for every release.
    history: Annotated[list[EarlierExchange], Field(max_length=MAX_HISTORY, exclude_if=lambda turns: not turns)] = []

    @model_validator(mode="after")
    def _follows_once(self) -> "AskRequest":
        if self.previous and self.history:
            raise ValueError("previous and history exclude each other; leave one out")
        return self

    def execution_input(self, collections: list[str]) -> dict[str, Any]:
        """Return the workflow input: the request and its collections.

        Readers of the answer need access to all of them, including those of the earlier answer.
        """
        return {**self.model_dump(mode="json"), "collections": collections}


class UploadRequest(Request):
    """An announced document with key `collection/name.ext`; the upload must have exactly `size` bytes.

    `tags` and `date` replace the document's own.
    """

    EXAMPLE: ClassVar[str] = '{"key": "handbook/leave.md", "size": 2048}'

    key: Key
    size: Whole = Field(ge=1, le=MAX_DOCUMENT_BYTES)
    content_type: str = Field(default="", max_length=100, pattern=r"^([\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.-]+)*)?$")
    tags: list[Tag] = Field(default=[], max_length=MAX_TAGS)
    date: Day | None = None


def read_request(question: str, policy: str = "", previous: str = "", filters: str = "") -> AskRequest:
    """Parse a request with its policy and filters as JSON text; raises InvalidInput."""
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
    """Parse filters from JSON text; raises InvalidInput."""
    return read_request("?", filters=filters).filters


def _object(name: str, text: str, example: str) -> dict[str, Any]:
    try:
        fields: Any = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise InvalidInput(f"{name} is not valid JSON: {error}. Write it like '{example}'.") from error
    if not isinstance(fields, dict):
        raise InvalidInput(f"{name} must be a JSON object such as {example}.")
    return fields
