"""A collection is read from one directory: another one takes its place only if somebody says so."""

from shlex import quote

from cli.local.place import Place
from cli.local.sources.remembered import source_of
from selfrag.domain.errors import InvalidInput


class AnotherDirectory(InvalidInput):
    """A collection was read from another directory than the one that is to be read into it now."""


def refuse_another(place: Place) -> None:
    """Raise AnotherDirectory if a place's collection was read from another directory than the place's."""
    source = source_of(place.collection)
    if source is None or source.directory == place.source.resolve():
        return
    name, here = place.collection, quote(str(place.source))
    gone = "" if source.directory.is_dir() else " (which is gone)"
    raise AnotherDirectory(
        f"The collection {name} was read from {source.directory}{gone}, and what {place.source} does not hold would be "
        f"removed from it. If the directory was moved: `selfrag collections move {name} {here}`; to read another one "
        f"in its place: `selfrag ingest {here} --collection {name} --replace`."
    )
