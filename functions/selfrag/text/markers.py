"""Citation markers in a model's text, such as [5], [2, 5], [3-4] or 【3】."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MARKER = re.compile(r"(?<!\w)(\w*)(\s?[\[【［]\s*\^?\d{1,3}(?:\s*[,;、–-]\s*\d{1,3})*\s*[\]】］])")
_RANGE = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


@dataclass(frozen=True)
class Marker:
    """A marker from `start`, which may be a space before it, to `end`; each range has a first and a last number."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]


def markers_in(text: str, start: int, end: int, sources: Sequence[str]) -> list[Marker]:
    """Return the markers between two characters; one that stands so in a source, such as items[0], is none."""
    return [
        Marker(mark.start(2), mark.end(2), tuple((int(a), int(b or a)) for a, b in _RANGE.findall(mark[2])))
        for mark in _MARKER.finditer(text, start, end)
        if not _is_of_source(mark, sources)
    ]


def _is_of_source(mark: re.Match[str], sources: Sequence[str]) -> bool:
    return bool(mark[1]) and not mark[2][0].isspace() and any(mark[0] in source for source in sources)
