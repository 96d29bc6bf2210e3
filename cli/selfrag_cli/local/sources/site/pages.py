"""The documents of a site while they are ingested: their contents wait in a file without a name."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import ending_of
from selfrag_cli.local.sources.comparison import Files, digest_of


def name_of(address: str, ending: str) -> str:
    """Return the name of the document at an address, which is the address where that tells its kind.

    Else the ending of the kind stands behind it as a fragment, so that the name still leads to the page.
    """
    tells = ending_of(f"site/{address}")
    return address if tells == ending or {tells, ending} <= {".htm", ".html"} else f"{address}#{ending}"


@dataclass(frozen=True)
class _Held:
    start: int
    size: int
    digest: str
    day: str


@dataclass
class Pages(Files):
    """Documents by their names; `kept` says why those that are known from before could not be read now."""

    kept: dict[str, str] = field(default_factory=dict)
    _held: dict[str, _Held] = field(default_factory=dict)
    _file: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def add(self, name: str, content: bytes, day: str) -> None:
        """Add a document as it is now, changed on this day (ISO 8601, "" if that is not known)."""
        self.paths.append(name)
        self._held[name] = _Held(self._file.seek(0, os.SEEK_END), len(content), digest_of(content), day)
        self._file.write(content)
        self._file.flush()

    def digests(self) -> Mapping[str, str]:
        """Return the digest of each document that was read."""
        return {name: held.digest for name, held in self._held.items()}

    def content(self, path: str) -> bytes:
        """Return the bytes of a document."""
        held = self._held.get(path)
        if held is None:
            raise BadDocument(f"{path} was not read anew.")
        # Several threads read at once.
        return os.pread(self._file.fileno(), held.size, held.start)

    def size(self, path: str) -> int:
        """Return the number of bytes of a document."""
        return self._held[path].size if path in self._held else 0

    def metadata(self, path: str) -> Mapping[str, str]:
        """Return when a document was changed."""
        return {"modified": self._held[path].day} if path in self._held else {}
