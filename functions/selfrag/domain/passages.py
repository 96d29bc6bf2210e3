"""Passages, the results of searches, and the bounds of searches."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ConfigDict

from selfrag.domain.base import Model

# The collection of passages from the web.
WEB = "web"


class CitedWhole(Model):
    """A range of a passage's text that is cited whole (see `selfrag.domain.documents.Row`)."""

    start: int
    end: int
    name: str = ""


class Copy(Model):
    """A passage of nearly the same text as another one, which stands for both; of many only some name the document."""

    passage_id: str
    document: str


class Passage(Model):
    """A piece of a document, or of a web page; `tags` and `date` (ISO 8601) are the document's.

    `document_id` is null for a page of the web or of a knowledge base, and in an index from before this field.
    `locator` is the page, slide or sheet in words, and `rows` are the ranges of the text that are cited whole. `copies`
    are the near-duplicates that a search folded into this passage.
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
        """Return the fields by which a model reads the passage; one without a date has none."""
        dated = {"date": self.date} if self.date else {}
        return {"document": self.document, "title": self.title, **dated, "text": self.text}


class Strip(Model):
    """A range of a passage's text, from `start` to before `end`, that is judged by itself (CRAG)."""

    start: int
    end: int


class Evidence(Passage):
    """A passage that an answer is written from: these strips of its text, or all of it without strips."""

    # A passage from a search is evidence as a whole.
    model_config = ConfigDict(from_attributes=True)

    strips: list[Strip] = []


@dataclass(frozen=True)
class Candidates:
    """The results of the two searches, best first, each with its own score.

    A full list has as many hits as were asked for, so that more may match. `text_hits` is the number of all passages
    that full text matched, None if the store does not count. `unembedded` are the ids of hits that have no vector yet.
    `warnings` say what a search left out, a sentence each.
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
    """The bounds of a search: the question's collections, narrowed by the request (None is everything).

    A passage matches one of the `documents`, which are keys, or folders if they end in a slash, and one of the `tags`.
    `since` and `until` are days (ISO 8601), both included: a document without a date matches neither. A search leaves
    out the passages `without` these ids; a fetch by ids does not.
    """

    collections: Sequence[str]
    documents: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    without: Sequence[str] = ()


def embedded_text(title: str, text: str) -> str:
    """Return the text of a passage for embedding and full text: a slice says little without its headings."""
    return f"{title}\n{text}" if title else text
