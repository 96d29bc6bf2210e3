"""Passages, what a search found of them, and what it was limited to."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.domain.base import Model


class Passage(Model):
    """A piece of a document, or of a web page, as it was found; `tags` and `date` (ISO 8601) are the document's."""

    passage_id: str
    document: str
    text: str
    title: str = ""
    collection: str = ""
    heading: str = ""
    page: int | None = None
    tags: list[str] = []
    date: str | None = None
    score: float | None = None


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


def embedded_text(passage: Passage) -> str:
    """What is embedded of a passage: a slice of a section says little without the headings above it."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text
