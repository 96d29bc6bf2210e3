"""Sentences of passages, ranked by how much of a question's rare words they share."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfrag_cli.local.stand_in.arithmetic import without_counts
from selfrag_cli.local.stand_in.words import AMOUNT, has, holds, letters, names, units

# A sentence counts whole, the headings above it nearly so, and the rest of its passage little.
_HEADING, _PASSAGE = 0.8, 0.4
ENOUGH = 0.65
_OTHER_YEAR, _AMOUNT = 0.1, 0.1
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"\d+")
_ENDED = re.compile(r"[.!?:;。！？：；][\"'”’)\]」』）*_]*\s*$")
_MARK = re.compile(r"^\s*(?:>\s*)*(?:#+\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?")
_LONGEST_HEADING, _FULL_LINE = 70, 45


@dataclass(frozen=True)
class QuoteSource:
    """A passage: its document, its title, and its text in blocks."""

    document: str
    title: str
    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return all that may hold a name: document, title and text."""
        return "\n".join((self.document, self.title, "".join(self.blocks)))


@dataclass(frozen=True)
class Quote:
    """A sentence of a source: its range of blocks, its text on one line, and its share of the question, 0 to 1."""

    source: int
    start: int
    end: int
    text: str
    share: float


def quotes(question: str, sources: Sequence[QuoteSource]) -> list[Quote]:
    """Return the sentences of the sources, best first; of equals the one that was found first."""
    weights = _weights(question, [source.text for source in sources])
    sentences = [
        Quote(number, start, end, text, _share(question, weights, source, text, headings))
        for number, source in enumerate(sources)
        for start, end, text, headings in _sentences(source.blocks)
    ]
    return sorted(sentences, key=lambda quote: -quote.share)


def chosen(question: str, sources: Sequence[QuoteSource]) -> list[Quote]:
    """Return the sentences that answer, if any: the best one, and one for each name that it leaves out.

    A name of the question that stands in no source of theirs leaves none.
    """
    ranked = [quote for quote in quotes(question, sources) if quote.share >= ENOUGH]
    best = ranked[:1]
    for name in names(question) if ranked else ():
        if not any(holds(quote.text, name) for quote in best):
            best += [quote for quote in ranked if holds(quote.text, name)][:1]
    evidence = "\n".join(sources[quote.source].text for quote in best)
    return best if all(holds(evidence, name) for name in names(question)) else []


def _weights(question: str, passages: Sequence[str]) -> dict[str, float]:
    """Return the weight of each unit of a question, which is greater the fewer passages hold it."""
    # One passage alone tells little of what is rare.
    rare = 1.0 if len(passages) > 1 else 0.3
    return {
        unit: 1 + rare * math.log((len(passages) + 1) / (sum(has(passage, unit) for passage in passages) + 1))
        for unit in units(without_counts(question))
    }


def _share(question: str, weights: Mapping[str, float], source: QuoteSource, text: str, headings: str) -> float:
    where = ((text, 1.0), (f"{source.title} {source.document} {headings}", _HEADING), (source.text, _PASSAGE))
    got = sum(
        weight * next((worth for part, worth in where if has(part, unit)), 0.0) for unit, weight in weights.items()
    )
    # A page of another year than the one that is asked for gives way to one of none.
    years = set(_YEAR.findall(f"{source.title} {source.document}")) - set(_YEAR.findall(question))
    # An amount that is asked for is most likely written in digits.
    lacks = AMOUNT.search(question.casefold()) and not set(_NUMBER.findall(text)) - set(_NUMBER.findall(question))
    return max(0.0, got / (sum(weights.values()) or 1.0) - _OTHER_YEAR * bool(years) - _AMOUNT * bool(lacks))


def _sentences(blocks: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield the sentences that state something, with their blocks and the headings above them."""
    headings: list[str] = []
    start = 0
    while start < len(blocks):
        end = start + 1
        while end < len(blocks) and _goes_on(blocks[end - 1], blocks[end]):
            end += 1
        block = "".join(blocks[start:end])
        text = " ".join(_MARK.sub("", block, count=1).replace("**", "").split())
        if block.lstrip().startswith("#") or text.endswith(("?", "？")) or _is_heading(block, text):
            level = len(block) - len(block.lstrip("#"))
            headings = [*(headings[: max(0, level - 1)] if level else headings[:1]), text]
        elif letters(text):
            yield start, end, text, " ".join(headings)
        start = end


def _is_heading(block: str, text: str) -> bool:
    """Return whether a block is a short line that ends no sentence and begins no item of a list."""
    if (
        not block.rstrip(" \t").endswith("\n")
        or len(text) >= _LONGEST_HEADING
        or _ENDED.search(block)
        or re.search(r"[|:：]", text)
    ):
        return False
    return _MARK.sub("", block) == block.lstrip()


def _goes_on(line: str, following: str) -> bool:
    """Return whether a line of a wrapped text goes on in the next one; indentation belongs to the line before."""
    line = line.rstrip(" \t")
    if not line.endswith("\n") or line.endswith("\n\n") or _ENDED.search(line) or "|" in line + following:
        return False
    return len(line) >= _FULL_LINE and _MARK.sub("", following) == following.lstrip() and following[:1] not in "#"
