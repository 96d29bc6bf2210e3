"""Passages, search results and search bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ConfigDict

from selfrag.domain.base import Model

# The collection of web passages.
WEB = "web"


class CitedWhole(Model):
    """A range of a passage that is cited as a unit (see `selfrag.domain.documents.Row`)."""

    start: int
    end: int
    name: str = ""


class Copy(Model):
    """A near-duplicate of a passage; beyond a limit, `document` is empty."""

    passage_id: str
    document: str


class Passage(Model):
    """A piece of a document or web page; `tags` and `date` (ISO 8601) are the document's.

    `document_id` is null for web pages, knowledge bases and older indexes. `locator` is the page, slide or sheet in
    words, and `rows` are the ranges cited as a unit. `copies` are the near-duplicates that a search folded into this
    passage.
    """

    passage_id: str
    document: str
    text: str
    title: str = ""
    collection: str = ""
    document_id: str | None = None
    heading: str = ""
    page: int | None = None
    locator: str = ""
    rows: list[CitedWhole] = []
    tags: list[str] = []
    date: str | None = None
    score: float | None = None
    copies: list[Copy] = []

    def quoted(self) -> dict[str, str]:
        """Return the fields shown to a model; the date only if there is one."""
        dated = {"date": self.date} if self.date else {}
        return {"document": self.document, "title": self.title, **dated, "text": self.text}


class Strip(Model):
    """A range of a passage's text, from `start` to before `end`, with a verdict (CRAG)."""

    start: int
    end: int


class Evidence(Passage):
    """A passage used for an answer: all of its text, or only these strips."""

    # Search results are converted to evidence without strips.
    model_config = ConfigDict(from_attributes=True)

    strips: list[Strip] = []


@dataclass(frozen=True)
class Candidates:
    """The results of the two searches, best first, with their scores.

    A full list may have been truncated. `text_hits` is the total number of full-text matches, None if not counted.
    `unembedded` are ids of hits without a vector yet. `warnings` describe omissions.
    """

    by_text: Sequence[tuple[Passage, float]]
    by_vector: Sequence[tuple[Passage, float]]
    text_full: bool = False
    vector_full: bool = False
    text_hits: int | None = None
    unembedded: frozenset[str] = frozenset()
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Bounds:
    """Bounds of a search: the question's collections, narrowed by the request (None is everything).

    A passage matches one of the `documents` (keys, or folders with a final slash) and one of the `tags`. `since` and
    `until` are inclusive days (ISO 8601); documents without a date match neither. Searches exclude the passage ids in
    `without`; fetches by id do not.
    """

    collections: Sequence[str]
    documents: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    without: Sequence[str] = ()


def embedded_text(title: str, text: str) -> str:
    """Return a passage's text for embedding and full-text search, with its headings for context."""
    return f"{title}\n{text}" if title else text
