"""The progress of an ingestion: documents are read, then their passages are embedded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Progress:
    """A moment of an ingestion: documents or passages done, how many there are, and the document at work.

    `share` is the part of the work that is done, by its size, None if that is not known.
    """

    done: int
    total: int
    name: str
    phase: Literal["Reading", "Embedding"] = "Reading"
    share: float | None = None


# Called with each moment of an ingestion; only if something is to be done.
OnDocument = Callable[[Progress], None]
