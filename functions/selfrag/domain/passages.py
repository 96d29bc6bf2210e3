"""Passages, what a search found of them, and what it was limited to."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ConfigDict, computed_field

from selfrag.domain.base import Model
from selfrag.domain.calls import StepResult


class CitedWhole(Model):
    """Characters of a passage's text that are cited whole, as `selfrag.domain.documents.Row` says."""

    start: int
    end: int
    name: str = ""


class Passage(Model):
    """A piece of a document, or of a web page, as it was found; `tags` and `date` (ISO 8601) are the document's.

    `locator` is the page, slide or sheet in words, and `rows` what of the text is cited whole.
    """

    passage_id: str
    document: str
    text: str
    title: str = ""
    collection: str = ""
    heading: str = ""
    page: int | None = None
    locator: str = ""
    rows: list[CitedWhole] = []
    tags: list[str] = []
    date: str | None = None
    score: float | None = None


class Strip(Model):
    """Characters of a passage's text, from `start` to before `end`, that are judged by themselves (CRAG)."""

    start: int
    end: int


class Evidence(Passage):
    """A passage that an answer is written from: of its text these strips, or all of it where there are none."""

    # A passage as it was found is evidence as a whole.
    model_config = ConfigDict(from_attributes=True)

    strips: list[Strip] = []


class FoundPassages(StepResult):
    """What a search hands back: passages, best first, and their size in the state."""

    passages: list[Passage]
    bytes: int

    @computed_field
    def found(self) -> list[dict[str, str]]:
        """The ids of the passages, each with its document: what Plan needs of them."""
        return [{"passage_id": one.passage_id, "document": one.document} for one in self.passages]


@dataclass(frozen=True)
class Candidates:
    """What the two searches found, best first, each with its own score."""

    by_text: Sequence[tuple[Passage, float]]
    by_vector: Sequence[tuple[Passage, float]]


@dataclass(frozen=True)
class Bounds:
    """What a search is limited to: the caller's collections, and of these what is asked for (None is everything).

    `documents` are keys, of which one has to be the passage's; so it is with `tags`. `since` and `until` are days
    (ISO 8601), both included: a document without a date is of no time.
    """

    collections: Sequence[str]
    documents: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None


def embedded_text(title: str, text: str) -> str:
    """What is embedded of a passage, and searched by full text: a slice says little without the headings above it."""
    return f"{title}\n{text}" if title else text
