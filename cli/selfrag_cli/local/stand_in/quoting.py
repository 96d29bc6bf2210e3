"""Sentences of passages, ranked by shared rare words of the question."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from selfrag.domain.documents import QUOTED
from selfrag_cli.local.stand_in.questions import asks_for_all, strip_request, subject_of
from selfrag_cli.local.stand_in.words import AMOUNT, correct, denies, fold, has, holds, letters, names, units

# Weights: a sentence counts fully, its headings nearly so, the rest of its passage little.
_HEADING, _PASSAGE = 0.8, 0.4
ENOUGH = 0.65
# Number of sentences that summarize a document.
_MAX_SUMMARY = 2
_OTHER_YEAR, _AMOUNT, _NEGATION, _OLDER = 0.1, 0.1, 0.4, 0.1
# Weight of context words in a follow-up: too low to answer without words of the follow-up itself.
_CONTEXT = 0.6
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|neither|without|except|unless|cannot|forbidden|prohibited|banned|nicht|kein\w{0,2}|nie|ohne"
    r"|verboten|untersagt)\b|n't\b|ない|ません|禁止|不可|以外|않|없|금지"
)
_SUPERSEDED = re.compile(r"\b(?:superseded|obsolete|outdated|withdrawn|archived?|veraltet|ungultig)\b|廃止|旧版|폐지")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"\d+")
_ENDED = re.compile(r"[.!?:;。！？：；][\"'”’)\]」』）*_]*\s*$")
# Beginnings of a sentence that refers to the previous one.
_POINTS_BACK = re.compile(
    r"(?:This|That|These|Those|It|They|Dies|Diese[rs]?|Das (?:ist|sind|heißt|nennt|gilt))\b"
    r"|これ|それ|この|その|이것|그것|이는"
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_MAX_ITEMS = 8
_MARK = re.compile(r"^\s*(?:>\s*)*(?:#+\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?")
_ROW = re.compile(r"[^:;]{1,60}: [^;]{1,300}; [^:;]{1,60}: ")  # name and value pairs
_LONGEST_HEADING, _FULL_LINE = 70, 45


@dataclass(frozen=True)
class QuoteSource:
    """A passage: document, title, text blocks, and date or ""."""

    document: str
    title: str
    blocks: tuple[str, ...]
    date: str = ""

    @property
    def text(self) -> str:
        """Return all text that may contain a name: document, title and text."""
        return "\n".join((self.document, self.title, self.date, "".join(self.blocks)))


@dataclass(frozen=True)
class Quote:
    """A sentence of a source: block range, text on one line, and its score from 0 to 1."""

    source: int
    start: int
    end: int
    text: str
    share: float


def quotes(question: str, sources: Sequence[QuoteSource], context: str = "") -> list[Quote]:
    """Return the sentences of the sources, best first; ties go to newer, then to earlier ones.

    `context` has a follow-up's earlier questions. For a question about a document, its first sentences win.
    """
    question = correct(question, "\n".join(source.text for source in sources))
    texts = [source.text for source in sources]
    requests = [strip_request(question, source.document) for source in sources]
    weights = {words: _weights(words, context, texts) for words in set(requests)}
    subject, newest = letters(subject_of(question)), max((source.date for source in sources), default="")

    def share(number: int, text: str, headings: str) -> float:
        source = sources[number]
        if subject:
            return _match_title(subject, source)
        return _share(requests[number], weights[requests[number]], source, text, headings)

    sentences = [
        Quote(number, start, end, text, share(number, text, headings))
        for number, source in enumerate(sources)
        for start, end, text, headings in _sentences(source)
    ]

    def order(quote: Quote) -> float:
        source = sources[quote.source]
        is_old = bool(_SUPERSEDED.search(fold(f"{source.title} {source.document}"))) or "" < source.date < newest
        return _OLDER * (not subject and is_old) - quote.share

    return sorted(sentences, key=order)


def choose_quotes(question: str, sources: Sequence[QuoteSource], context: str = "") -> list[Quote]:
    """Return the answering sentences: the best one, and one for each name that it lacks.

    A continuation of the best sentence is added if it has further words of the question, or replaces it. A name missing
    in their sources rejects all.
    """
    question = correct(question, "\n".join(source.text for source in sources))
    every = quotes(question, sources, context)
    ranked = [quote for quote in every if quote.share >= ENOUGH]
    best = ranked[:1]
    if best and asks_for_all(question):
        return _rows(ranked, sources) or best
    if subject_of(question):
        return [quote for quote in ranked if quote.source == best[0].source][:_MAX_SUMMARY] if best else []
    for name in names(question) if ranked else ():
        if not any(holds(f"{sources[quote.source].title} {quote.text}", name) for quote in best):
            best += [quote for quote in ranked if holds(quote.text, name)][:1]
    if best and best[0].text.startswith(QUOTED):  # the newer message precedes its quotation
        own = (quote for quote in every if sources[quote.source].document == sources[best[0].source].document)
        newer = next((quote for quote in own if not (quote.text.startswith(QUOTED) or _ROW.match(quote.text))), None)
        best = [newer, *best] if newer else best
    evidence = "\n".join(sources[quote.source].text for quote in best)
    if not all(holds(evidence, name) for name in names(question)):
        return []
    if len(best) == 1:
        best = _add_continuation(question, ranked, best[0], sources[best[0].source].title)
    whole = [_expand_quote(quote, sources[quote.source]) for quote in best]
    return [
        quote
        for at, quote in enumerate(whole)
        if not any(quote.source == other.source and quote.start < other.end for other in whole[:at])
    ]


def _rows(ranked: Sequence[Quote], sources: Sequence[QuoteSource]) -> list[Quote]:
    """Return all rows of the best row's table, grouped by passage; nothing if the best is not a row."""
    label = f"{ranked[0].text.partition(': ')[0]}: "
    rows = [
        Quote(number, start, end, text, ranked[0].share)
        for number in dict.fromkeys(quote.source for quote in ranked)
        for start, end, text, _ in _sentences(sources[number])
        if _ROW.match(text) and text.startswith(label)
    ]
    return [
        replace(group[0], end=group[-1].end, text="\n".join(row.text for row in group))
        for _, each in groupby(enumerate(rows), lambda place: (place[1].source, place[0] - place[1].start))
        if (group := [row for _, row in each])
    ]


def _add_continuation(question: str, ranked: Sequence[Quote], best: Quote, title: str) -> list[Quote]:
    """Return the best sentence and the next, each with words of the question that the other lacks."""

    def adds(quote: Quote, other: Quote) -> bool:
        return any(has(quote.text, unit) and not has(f"{title} {other.text}", unit) for unit in units(question))

    after = [quote for quote in ranked if (quote.source, quote.start) == (best.source, best.end) and adds(quote, best)]
    return [best, *after] if not after or adds(best, after[0]) else after


def _expand_quote(quote: Quote, source: QuoteSource) -> Quote:
    """Extend a quote by the sentence it refers to and the block or list it announces."""
    before = [(start, text) for start, end, text, _ in _sentences(source) if end == quote.start]
    if before and _POINTS_BACK.match(quote.text) and not _ROW.match(before[0][1]):
        quote = replace(quote, start=before[0][0], text=f"{before[0][1]} {quote.text}")
    end, blocks = quote.end, source.blocks
    while quote.text.endswith((":", "：")) and end < min(len(blocks), quote.end + _MAX_ITEMS):
        if blocks[end].lstrip().startswith("#") or (end > quote.end and not _ITEM.match(blocks[end])):
            break
        end += 1
    lines = [quote.text, *(" ".join(block.split()) for block in blocks[quote.end : end])]
    return replace(quote, end=end, text="\n".join(lines))


def _match_title(subject: str, source: QuoteSource) -> float:
    """Return how well a title matches a source's title, headings or file name."""
    if subject in (letters(source.title), letters(source.document)):
        return 1.0
    file_name = source.document.rsplit("/", 1)[-1]
    parts = (*source.title.split(" > "), file_name, file_name.rsplit(".", 1)[0])
    return 0.9 if subject in map(letters, parts) else 0.0


def _weights(question: str, context: str, passages: Sequence[str]) -> dict[str, float]:
    """Return the weight of each unit of a question; rarer ones weigh more."""
    # A single passage says little about rarity.
    rare = 1.0 if len(passages) > 1 else 0.3

    def weigh(text: str) -> dict[str, float]:
        return {
            unit: 1 + rare * math.log((len(passages) + 1) / (sum(has(passage, unit) for passage in passages) + 1))
            for unit in units(text)
        }

    own, earlier = weigh(question), weigh(context)
    if not own:
        return earlier
    scale = _CONTEXT * sum(own.values()) / (sum(earlier.values()) or 1.0)
    return {**{unit: scale * weight for unit, weight in earlier.items()}, **own}


def _share(question: str, weights: Mapping[str, float], source: QuoteSource, text: str, headings: str) -> float:
    where = ((text, 1.0), (f"{source.title} {source.document} {headings}", _HEADING), (source.text, _PASSAGE))
    got = sum(
        weight * next((worth for part, worth in where if has(part, unit)), 0.0) for unit, weight in weights.items()
    )
    # A page of another year ranks below an undated one.
    years = set(_YEAR.findall(f"{source.title} {source.document}")) - set(_YEAR.findall(question))
    # Amounts are usually written in digits.
    lacks = AMOUNT.search(fold(question)) and not set(_NUMBER.findall(text)) - set(_NUMBER.findall(question))
    negated, denied = (bool(_NEGATED.search(fold(words))) for words in (question, text))
    # A negated question needs a negation; otherwise a negation is only slightly worse.
    in_place = denied and not negated and any(has(text, unit) for unit in weights)
    penalty = (
        _NEGATION * (negated and not denied) + _AMOUNT * in_place + _OTHER_YEAR * bool(years) + _AMOUNT * bool(lacks)
    )
    if any(denies(f"{source.title} {headings} {text}", name) for name in names(question)):
        return 0.0
    # Scattered words in a passage on another topic are not an answer.
    topic = f"{source.title} {source.document} {headings}"
    own = [word for word in units(question) if has(source.text, word)]
    is_topical = any(has(topic, unit) for unit in own) or any(holds(source.text, name) for name in names(question))
    if not is_topical and 2 * sum(has(text, unit) for unit in own) <= len(own):
        return 0.0
    return max(0.0, got / (sum(weights.values()) or 1.0) - penalty)


def _sentences(source: QuoteSource) -> Iterator[tuple[int, int, str, str]]:
    """Yield statements with their blocks and headings.

    Titles are skipped, and quoted messages keep their author.
    """
    headings: list[str] = []
    blocks, titles = source.blocks, source.title.split(" > ")
    start, announced = 0, ""
    while start < len(blocks):
        end = start + 1
        while end < len(blocks) and _goes_on(blocks[end - 1], blocks[end]):
            end += 1
        block = "".join(blocks[start:end])
        text = " ".join(_MARK.sub("", block, count=1).replace("**", "").split())
        if block.lstrip().startswith("#") or text.endswith(("?", "？")) or text in titles or _is_heading(block, text):
            level = len(block) - len(block.lstrip("#"))
            headings = [*(headings[: max(0, level - 1)] if level else headings[:1]), text]
        elif letters(text):
            announced = announced if _ITEM.match(block) else ""
            quoted = f"{headings[-1]}: {text}" if headings and headings[-1].startswith(QUOTED) else text
            yield start, end, quoted, " ".join([*headings, announced])
            announced = text if text.endswith((":", "：")) else announced
        start = end


def _is_heading(block: str, text: str) -> bool:
    """Return whether a block is a short line that is neither a sentence nor a list item."""
    is_short_line = block.rstrip(" \t").endswith("\n") and len(text) < _LONGEST_HEADING
    is_sentence = _ENDED.search(block) or re.search(r"[|:：]", text)
    return is_short_line and not is_sentence and _MARK.sub("", block) == block.lstrip()


def _goes_on(line: str, following: str) -> bool:
    """Return whether a wrapped line continues in the next one; indented lines belong to the line before."""
    line = line.rstrip(" \t")
    is_wrapped = line.endswith("\n") and not line.endswith("\n\n") and len(line) >= _FULL_LINE
    is_whole = _ENDED.search(line) or _ROW.match(line) or "|" in line + following
    return is_wrapped and not is_whole and _MARK.sub("", following) == following.lstrip() and following[:1] not in "#"
