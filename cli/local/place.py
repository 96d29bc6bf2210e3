"""The place that a command is about: a collection, and the directory that it is read from."""

import re
from dataclasses import dataclass
from pathlib import Path

from cli.local.sources.files import SAMPLE_DOCUMENTS, check_directory
from cli.local.sources.registry import directory_collection
from selfrag.domain.errors import InvalidInput

_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


@dataclass(frozen=True)
class Place:
    """A collection, and its directory; None for one that is looked at as it was ingested."""

    collection: str
    directory: Path | None = None

    @property
    def is_sample(self) -> bool:
        """Return whether it is the sample handbook."""
        return self.directory is not None and self.directory.resolve() == SAMPLE_DOCUMENTS.resolve()

    @property
    def source(self) -> Path:
        """Return the directory; raises InvalidInput if there is none to read from."""
        if self.directory is None:
            raise InvalidInput(f"The collection {self.collection} has no directory here: name one with --docs.")
        return self.directory

    def path_of(self, key: str) -> str:
        """Return the path in the directory of a document's key, which begins with the collection; so may a sentence."""
        return key.removeprefix(f"{self.collection}/")

    def __str__(self) -> str:
        """Return what a person calls it."""
        return f"the collection {self.collection}" if self.directory is None else str(self.directory)


def place_to_ask(directory: Path | None, collection: str) -> Place:
    """Either a named collection or a directory, by default the sample handbook; raises InvalidInput for both."""
    if not collection:
        return place_to_read(directory)
    if directory:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
    return Place(_checked(collection))


def place_to_read(directory: Path | None, collection: str = "") -> Place:
    """Return a directory, by default the sample handbook, and the collection that it is read into, by default its own.

    Raises InvalidInput for a directory that is none, or a name that is none.
    """
    chosen = directory or SAMPLE_DOCUMENTS
    check_directory(chosen)
    return Place(_checked(collection) if collection else directory_collection(chosen), chosen)


def _checked(name: str) -> str:
    if not _COLLECTION.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name
