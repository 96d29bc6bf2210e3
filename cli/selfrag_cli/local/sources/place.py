"""Places: a collection, and the directory or the site that it is read from."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.site.addresses import canonical, is_address
from selfrag_cli.local.sources.source import Root, directory_collection, resolved, site_collection, source_of
from selfrag_cli.sample import HANDBOOK

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


class AnotherDirectory(InvalidInput):
    """A collection was read from another directory or site than the one that is to be read into it now."""


@dataclass(frozen=True)
class Place:
    """A collection, and its directory; None for one that is looked at as it was ingested.

    `site` is the address of the site that it is read from, "" if it is none; only `selfrag ingest` asks a site.
    """

    collection: str
    directory: Path | None = None
    site: str = ""

    @property
    def is_sample(self) -> bool:
        """Return whether it is the sample handbook."""
        return self.directory is not None and self.directory.resolve() == HANDBOOK.resolve()

    @property
    def source(self) -> Path:
        """Return the directory; raises InvalidInput if there is none to read from."""
        if self.directory is None:
            raise InvalidInput(f"The collection {self.collection} has no directory here: name one with --docs.")
        return self.directory

    @property
    def root(self) -> Root:
        """Return the site, else the directory; raises InvalidInput if there is none to read from."""
        return self.site or self.source

    def path_of(self, key: str) -> str:
        """Return the path in the directory of a document's key, which begins with the collection; so may a sentence."""
        return key.removeprefix(f"{self.collection}/")

    def __str__(self) -> str:
        """Return what a person calls it."""
        return self.site or (f"the collection {self.collection}" if self.directory is None else str(self.directory))


def place_to_ask(docs: Root | None, collection: str) -> Place:
    """Either a named collection or a directory or site, by default the sample handbook; raises InvalidInput for both.

    A site is asked as it was ingested.
    """
    if not collection:
        return place_to_read(docs)
    if docs:
        raise InvalidInput("A named collection is looked at as it was ingested: leave out --docs or --collection.")
    return Place(_checked(collection))


def place_to_read(docs: Root | None, collection: str = "") -> Place:
    """Return a directory or a site, by default the sample handbook, and the collection that it is read into.

    That is its own, unless one is named. Raises InvalidInput for a directory, an address or a name that is none.
    """
    if isinstance(docs, str) and is_address(docs):
        site = canonical(docs)
        return Place(_checked(collection) if collection else site_collection(site), site=site)
    chosen = Path(docs or HANDBOOK)
    check_directory(chosen)
    return Place(_checked(collection) if collection else directory_collection(chosen), chosen)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"The collection {name!r} is not a name: use letters, digits, dots, dashes, underscores.")
    return name


def check_directory(directory: Path) -> None:
    """Raise InvalidInput for a directory that is none."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def refuse_another(place: Place) -> None:
    """Raise AnotherDirectory if a place's collection was read from another directory or site than the place's."""
    name, root = place.collection, place.root
    source = source_of(name)
    if source is None or source.root == resolved(root):
        return
    here = quote(str(root))
    gone, moved = "", ""
    if isinstance(source.root, Path) and isinstance(root, Path):
        gone = "" if source.root.is_dir() else " (which is gone)"
        moved = f"If the directory was moved: `selfrag collections move {name} {here}`; to"
    raise AnotherDirectory(
        f"The collection {name} was read from {source.root}{gone}, and what {root} does not hold would be removed from "
        f"it. {moved or 'To'} read another one in its place: `selfrag ingest {here} --collection {name} --replace`."
    )
