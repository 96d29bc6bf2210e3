"""A passage as a reader sees it: sentences that state something, each with the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cli.local.offline.text.words import is_japanese

# A short line without a full stop, a number at its end, or a list mark in front is a heading.
_HEADING = re.compile(r"^\s*(?![-*+•>|])(?!.*(?:[.!?。！？:：|;；,、][\"'”’)\]」]*|\d\D{0,12})\s*$).{1,70}\s*$")
_TITLE = re.compile(r"^\s*(#+)\s")
_RULE = re.compile(r"^[\s|:=_-]+$")
_ENDS = re.compile(r"[.!?。！？:：;；][\"'”’)\]」*_]*\s*$")
_ASKS = re.compile(r"[?？][\"'”’)\]」*_]*\s*$")
_MARK = re.compile(r"^\s*(?:>\s*)*(?:#+\s+|[-*+•]\s+|\d{1,3}[.)]\s+)")
# Where a sentence was cut that does not end there.
_ABBREVIATED = re.compile(r"\b(?:[ap]\.m|etc|approx|(?P<title>Mr|Mrs|Ms|Dr|Prof|St|vs))\.\s*$")
# What a page says about itself seldom answers a question.
_ABOUT_ITSELF = re.compile(
    r"^(?:this|the following) (?:page|document|section|policy|guide|article|chapter|handbook|schedule)\b"
    r"|^(?:この|本)(?:ページ|文書|資料|規程|ガイド)",
    re.IGNORECASE,
)
_CELL = ", "
_TABLE, _QUESTION, _LINE = 9, 8, 7
_FULL_LINE, _FULL_LINE_JA = 50, 25


@dataclass(frozen=True)
class Sentence:
    """A sentence that may be quoted: its range of blocks, its text without marks, and what stands around it.

    `asked` is the question that it stands under, in a list of questions and answers.
    """

    start: int
    end: int
    text: str
    asked: str
    headings: str
    before: str
    is_about_itself: bool


def shown(text: str) -> str:
    """A text without Markdown marks: heading signs, list dashes, emphasis and table pipes."""
    bare = re.sub(r"[*_`]{2,}|(?<!\w)[*_`]|[*_`](?!\w)", "", _MARK.sub("", text.strip(), count=1))
    if "|" in bare or "\t" in bare:
        bare = _CELL.join(cell.strip() for cell in re.split(r"[|\t]", bare) if cell.strip())
    return re.sub(r"\s+", " ", bare).strip()


@lru_cache(512)
def sentences_of(blocks: tuple[str, ...]) -> tuple[Sentence, ...]:
    """The sentences of a passage's blocks that state something; headings and questions become their context."""
    found: list[Sentence] = []
    above: list[tuple[int, str]] = []
    before = ""
    for start, end in _lines_joined(blocks):
        block = "".join(blocks[start:end])
        text = shown(block)
        if not text or _RULE.match(block):
            continue
        if "|" not in block:
            above = [(rank, heading) for rank, heading in above if rank != _TABLE]
        rank = _rank(block, blocks[end] if end < len(blocks) else "")
        if rank:
            above = [(other, heading) for other, heading in above if other < rank] + [(rank, text)]
            before = ""
            continue
        columns = [heading for rank, heading in above if rank == _TABLE]
        if columns:
            text = _labelled(columns[0], text)
        headings = " / ".join(heading for rank, heading in above if rank != _TABLE)
        asked = above[-1][1] if above and above[-1][0] == _QUESTION else ""
        found.append(Sentence(start, end, text, asked, headings, before, bool(_ABOUT_ITSELF.match(text))))
        before = text
    return tuple(found)


def _labelled(columns: str, row: str) -> str:
    """A row of a table with the names of its columns, if there are as many."""
    names, cells = columns.split(_CELL), row.split(_CELL)
    if len(names) != len(cells):
        return row
    return "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True))


def _lines_joined(blocks: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of blocks that make one sentence: the lines of a text that was wrapped belong together."""
    start = 0
    for end in range(1, len(blocks) + 1):
        if end == len(blocks) or not _goes_on(blocks[end - 1], blocks[end]):
            yield start, end
            start = end


def _goes_on(line: str, following: str) -> bool:
    abbreviated = _ABBREVIATED.search(line)
    if abbreviated and "\n" not in line:
        return bool(abbreviated["title"]) or following[:1].islower()
    if not line.endswith("\n") or line.count("\n") > 1 or _ENDS.search(line) or "|" in line + following:
        return False
    if _TITLE.match(line) or _MARK.match(following) or _RULE.match(line) or _RULE.match(following):
        return False
    full = _FULL_LINE_JA if is_japanese(line) else _FULL_LINE
    return following.lstrip()[:1].islower() or len(line) >= full


def _rank(block: str, following: str) -> int:
    """How high a heading stands, 1 highest; 0 for a sentence."""
    title = _TITLE.match(block)
    if title:
        return min(len(title[1]), 6)
    if "|" in block and following and _RULE.match(following):
        return _TABLE
    if _ASKS.search(block):
        return _QUESTION
    return _LINE if block.endswith("\n") and _HEADING.match(block) else 0


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return re.search(r"[.!?。！？][\"'”’)\]」』）]*$", text) is not None
