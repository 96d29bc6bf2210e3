"""How a question and a sentence fit: what the rules weigh, measured and not yet judged."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.reading import Sentence
from cli.local.offline.text.vectors import closeness, likeness
from cli.local.offline.text.wants import SURE, holds, wanted
from cli.local.offline.text.words import Unit, distinct, keys_of, phrases, plain, units

_LONGEST_QUESTION = 1500

# What a match is worth by where it is found: in the sentence, its headings, the sentence before, the rest of the page.
_SYNONYM, _LIKE, _HEADING, _BEFORE, _PAGE = 0.95, 0.85, 0.9, 0.6, 0.5

_NAME_JA = "[\u4e00-\u9fff\u30a1-\u30ffー]{2,}"
# "in Kobe", "for London"; 東京での
_PLACED = re.compile(rf"\b(?:in|at|from|for|of) (?:the )?([A-Z]\w+)|({_NAME_JA})(?:での|では|における|の場合)")
# "outside Kobe"; 神戸以外
_EXCEPT = re.compile(
    rf"\b(?:outside|except|other than|apart from)(?: of| for| in)?(?: the)? ([A-Z]\w+)|({_NAME_JA})以外"
)
# A document whose name or headings say that it no longer holds, and a question that asks for such a one.
_OUTDATED = compiled(
    words("superseded | obsolete | archived? | outdated | deprecated | withdrawn"), either("失効 | 廃止 | 旧版 | 旧規")
)
_ASKS_FOR_OLD = compiled(
    words("(?:19|20)\\d\\d | old | former(?:ly)? | previous(?:ly)? | used to | earlier"), either("以前 | 昔 | 旧")
)


@dataclass(frozen=True)
class Match:
    """How one sentence fits a question; every part but `close` and `close_in_context` is 0 to 1."""

    close: float
    close_in_context: float
    covered: float
    covered_in_context: float
    covered_in_page: float
    elsewhere: float
    lacks: float
    about_itself: float
    outdated: float


@dataclass(frozen=True)
class Page:
    """A passage's title, document and whole text, by the keys of their words."""

    title: str
    keys: frozenset[str]
    is_outdated: bool


@lru_cache(256)
def page_of(title: str, document: str, text: str) -> Page:
    """What a sentence is matched against beside its own words."""
    found = units(re.sub(r"[-_/.]", " ", document)) + units(title) + units(text)
    return Page(title, keys_of(found), bool(_OUTDATED.search(f"{document} {title}")))


def compared(sentence: Sentence, page: Page) -> tuple[str, str]:
    """The texts that a question is compared with in meaning: the sentence alone, and under its heading."""
    heading = f"{sentence.headings or page.title}: " if sentence.headings or page.title else ""
    return f"{sentence.asked} {sentence.text}".strip(), heading + sentence.text


@lru_cache(8192)
def match(question: str, sentence: Sentence, page: Page, finely: bool = True) -> Match:
    """Measure how a sentence fits a question; `finely` compares the meanings of single words too."""
    question = plain(question[:_LONGEST_QUESTION])
    excluded = " ".join(name for found in _EXCEPT.findall(question) for name in found)
    question = _EXCEPT.sub(" ", question)
    asked = tuple(distinct(units(question)))
    context = f"{sentence.headings} {page.title}"
    said, in_context = compared(sentence, page)
    here = _matches(question, asked, said, finely)
    above = _matches(question, asked, context, finely)
    before = keys_of(units(sentence.before))
    near = [
        max(own, _HEADING * head, _BEFORE * _found(unit, before))
        for unit, own, head in zip(asked, here, above, strict=True)
    ]
    far = [max(value, _PAGE * _found(unit, page.keys)) for unit, value in zip(asked, near, strict=True)]
    want = wanted(question)
    held = holds(want, sentence.text, context, question)
    sure = 1.0 if want in SURE else 0.5
    return Match(
        close=closeness(question, said),
        close_in_context=closeness(question, in_context),
        covered=_share(asked, here),
        covered_in_context=_share(asked, near),
        covered_in_page=_share(asked, far),
        elsewhere=_elsewhere(asked, near, sentence.text, question, excluded),
        lacks=sure if held is False else 0.0,
        about_itself=float(sentence.is_about_itself),
        outdated=float(page.is_outdated and not _ASKS_FOR_OLD.search(question)),
    )


def _matches(question: str, asked: Sequence[Unit], text: str, finely: bool) -> list[float]:
    found = units(text)
    keys = keys_of(found)
    theirs, ours = phrases(text), phrases(question)
    same = " ".join(ours[group] for group in ours if group in theirs)
    values = []
    for unit in asked:
        value = max(_found(unit, keys), _SYNONYM if same and unit.text in same else 0.0)
        if finely and value < _LIKE:
            value = max(value, _LIKE * likeness(unit, found))
        values.append(value)
    return values


def _found(unit: Unit, keys: frozenset[str]) -> float:
    """The share of a unit's keys that are among others; pairs of characters may match in part."""
    return len(unit.keys & keys) / len(unit.keys)


def _share(asked: Sequence[Unit], values: Sequence[float]) -> float:
    whole = sum(unit.weight for unit in asked)
    return sum(unit.weight * value for unit, value in zip(asked, values, strict=True)) / whole if whole else 0.5


def _elsewhere(asked: Sequence[Unit], near: Sequence[float], text: str, question: str, excluded: str) -> float:
    """1 if the sentence is about what the question excludes, or about another place or thing than it names."""
    if keys_of(units(excluded)) & keys_of(units(text)):
        return 1.0
    names_missing = any(
        value < 0.3 and unit.kind in ("name", "katakana", "kanji") and unit.weight >= 1.0
        for unit, value in zip(asked, near, strict=True)
    )
    others = {name for found in _PLACED.findall(plain(text)) for name in found if name}
    return float(names_missing and any(name.casefold() not in question.casefold() for name in others))
