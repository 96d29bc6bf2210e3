"""Citation markers in a model's text, such as [5], [2, 5], [3-4], 【3】, (1) at a sentence's end, or [Source: a.md]."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBERS = r"\d{1,3}(?:\s*[,;、–-]\s*\d{1,3})*"
_SOURCE = "sources?|passages?|documents?|quellen?|fuentes?|出典|출처"
_MARKER = re.compile(
    rf"\s?(?:[\[【［]\s*\^?(?P<bracketed>{_NUMBERS})\s*[\]】］]"
    rf"|[(（](?P<bare>{_NUMBERS})[)）](?=[.!?。！？]?\s*(?:$|\n)|[.!?。！？]\s)"
    rf"|[\[(（【](?:{_SOURCE})(?:\s?#?(?P<named>{_NUMBERS})|\s?[:：][^\])）】\n]{{1,100}})[\])）】])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")
# Adjacent text that distinguishes a marker from the same number elsewhere in a source.
_BEFORE, _AFTER = re.compile(r"\S*\Z"), re.compile(r"[^\S\n]*\S*")
_LONGEST_CONTEXT = 40  # characters


@dataclass(frozen=True)
class Marker:
    """A marker from `start`, which may be a space before it, to `end`; each range has a first and a last number."""

    start: int
    end: int
    ranges: tuple[tuple[int, int], ...]


def markers_in(text: str, start: int, end: int, sources: Sequence[str]) -> list[Marker]:
    """Return the markers between two characters, without bracketed numbers that a source has with the same context."""
    marks = list(_MARKER.finditer(text, start, end))
    lines = [" ".join(source.split()) for source in sources] if marks else []
    return [
        Marker(
            mark.start(),
            mark.end(),
            tuple((int(a), int(b or a)) for a, b in _RANGE.findall(mark[mark.lastgroup] if mark.lastgroup else "")),
        )
        for mark in marks
        if not (words := _add_context(text, mark)) or not any(words in line for line in lines)
    ]


def _add_context(text: str, mark: re.Match[str]) -> str:
    """Return a marker with the word before it, at the start of a line with the word after it; "" if it is alone."""
    line = text.rfind("\n", 0, mark.end()) + 1
    words = text[max(line, mark.start() - _LONGEST_CONTEXT) : mark.start()]
    if words.strip():
        before = _BEFORE.search(words)
        words = (before[0] if before else "") + mark[0]
    else:
        after = _AFTER.match(text, mark.end(), mark.end() + _LONGEST_CONTEXT)
        words = mark[0] + (after[0] if after else "")
    return "" if words == mark[0] else " ".join(words.split())
