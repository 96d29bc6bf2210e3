"""Near-duplicates: texts equal in case, width, spaces and marks, or except for a few plain words.

Numbers, codes, names, negations and the words next to numbers are never plain: in doubt, texts stay separate.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from selfrag.text.east_asian import RUN
from selfrag.text.word_lists import word_list

# Fewer words than one in ten may differ.
_SHARE = 10
# Only words that Latin small letters write may differ; of up to three letters only articles and possessives.
_PLAIN = re.compile("[a-zß-öø-ÿœ]{4,}|the|an?|our|its|der|die|das|des|les?|la|une?|el|los|las|una")
_NUMBERS = frozenset(word_list("numbers").split())
# Numbers in one word: vierundzwanzig, fünfzehn, veinticuatro, doscientos.
_LONG_NUMBER = re.compile(r".*(?:zig|ßig|zehn|hundert|tausend)(?:ste\w?)?|(?:dieci|veinti)\w+|\w*cient[ao]s")
# Words that turn a sentence, limit it or measure: no, may, all, before, most, days, left and others like them.
_TURNING = frozenset(word_list("turning words").split())
# So much of two versions is equal.
_VERSION = 0.6
_YEAR = re.compile(r"(?:19|20)\d\d(?:\D\d\d?\D\d\d?)?|\d\d?\D\d\d?\D(?:19|20)\d\d")
_RAISED = re.compile("[²³¹¼-¾\u2070-\u209f\u2150-\u215f]")  # 10² is not 102
_MINUS = re.compile(r"(?<![^\s(])[-−–](?=[.,]?\d)")
_EDGES = ".,:/'@&#^_-"  # they join letters, but begin and end no word
_GAP = re.compile(rf"(?<={RUN.pattern[:-1]})\s+(?={RUN.pattern[:-1]})")  # a line of East Asian text may break anywhere
_PARTS = re.compile(f"{RUN.pattern}|[^{RUN.pattern[1:-2]}]+")


class Text(NamedTuple):
    """A text, the title above it, and its date."""

    title: str
    text: str
    date: str | None


@dataclass
class _Group:
    """The places of texts that say the same, their date, and the first's plain words between its other ones."""

    places: list[int]
    date: str | None
    plain: Sequence[Sequence[str]]


def near_duplicates(texts: Sequence[Text]) -> list[list[int]]:
    """Return groups of equivalent texts by position, in order of their first text.

    Texts of different dates or titles stay separate, as do texts without words.
    """
    groups: list[_Group] = []
    same: dict[tuple[str, ...], list[_Group]] = {}
    similar: dict[tuple[str, ...], list[_Group]] = {}
    for place, text in enumerate(texts):
        words = list(_words(text.text))
        title = tuple(word.casefold() for word in _words(text.title))
        all_of = (*title, "\n", *(word.casefold() for word in words))
        others, plain = _split_fixed(words)
        fixed = (*title, "\n", *others)
        matches = [group for group in same.setdefault(all_of, []) if _agree(group.date, text.date)]
        matches += [
            group
            for group in similar.setdefault(fixed, [])
            if _agree(group.date, text.date) and _differ_little(group.plain, plain, len(words))
        ]
        if matches and words:
            matches[0].places.append(place)
            matches[0].date = matches[0].date or text.date
            continue
        groups.append(group := _Group([place], text.date, plain))
        same[all_of].append(group)
        similar[fixed].append(group)
    return [group.places for group in groups]


def is_other_version(text: Text, other: Text) -> bool:
    """Return whether two dated texts under one title differ only in a number, a name or a negation.

    Apart from dates, one difference is allowed, and one more for every twenty words: rows of a form differ in more.
    """
    if not text.date or not other.date or text.date == other.date:
        return False
    if _strip_years(text.title) != _strip_years(other.title):
        return False
    mine, theirs = list(_split_letters(text.text)), list(_split_letters(other.text))
    matcher = SequenceMatcher(None, [*map(str.casefold, mine)], [*map(str.casefold, theirs)], autojunk=False)
    if matcher.quick_ratio() < _VERSION or matcher.ratio() < _VERSION:
        return False
    plain, their_plain = _find_replaceable(mine), _find_replaceable(theirs)
    changes = [
        mine[a:b] + theirs[c:d]
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal" and not all(plain[a:b] + their_plain[c:d])
    ]
    undated = [words for words in changes if not any(map(_YEAR.fullmatch, words))]
    return bool(changes) and len(undated) <= 1 + len(mine) // 20


def _strip_years(title: str) -> list[str]:
    return [word.casefold() for word in _words(title) if not _YEAR.fullmatch(word)]


def _split_letters(text: str) -> Iterator[str]:
    """Yield the words of a text, East Asian ones letter by letter."""
    for word in _words(text):
        yield from word if RUN.fullmatch(word) else [word]


def _agree(date: str | None, other: str | None) -> bool:
    return date == other or None in (date, other)


def _split_fixed(words: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the words that must be equal, and the plain ones before, between and after them."""
    others: list[str] = []
    plain: list[list[str]] = [[]]
    for word, is_plain in zip(words, _find_replaceable(words), strict=True):
        if is_plain:
            plain[-1].append(word)
        else:
            others.append(word.casefold())
            plain.append([])
    return others, plain


def _differ_little(plain: Sequence[Sequence[str]], other: Sequence[Sequence[str]], words: int) -> bool:
    """Return whether few plain words differ, none by its opposite (unpaid, disallow) and none that only moved."""
    gone, new = Counter[str](), Counter[str]()
    changes = 0
    for mine, theirs in zip(plain, other, strict=True):
        if mine == theirs:
            continue
        lost, added = Counter(mine) - Counter(theirs), Counter(theirs) - Counter(mine)
        if [word for word in mine if word not in lost] != [word for word in theirs if word not in added]:
            return False
        changes += max(lost.total(), added.total())
        gone, new = gone + lost, new + added
    opposite = any(a.endswith(b) or b.endswith(a) for a in gone for b in new)
    return changes * _SHARE < words and not opposite


def _find_replaceable(words: Sequence[str]) -> list[bool]:
    """Return of each word whether another may stand in its place."""
    plain = [_may_differ(word) for word in words]
    for at, word in enumerate(words):
        if _is_number(word):  # the word before a number, and two after it
            plain[max(0, at - 1) : at + 3] = [False] * len(plain[max(0, at - 1) : at + 3])
    return plain


@lru_cache(4096)
def _may_differ(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None and word not in _TURNING and not word.endswith("less")


@lru_cache(4096)
def _is_number(word: str) -> bool:
    small = word.casefold()
    return any(c.isdigit() for c in word) or small in _NUMBERS or _LONG_NUMBER.fullmatch(small) is not None


def _words(text: str) -> Iterator[str]:
    """Yield words, numbers, codes and signs; East Asian text in runs, and words with a hyphen in parts."""
    plain = unicodedata.normalize("NFKC", _RAISED.sub(r"^\g<0>", text))
    for chunk in _GAP.sub("", _MINUS.sub(" \u2212 ", plain.translate(_LETTERS))).split():
        if chunk.isascii() and chunk.isalpha():  # most words: the rest takes ten times as long
            yield chunk
            continue
        for part in _PARTS.findall(chunk):
            word = part.strip(_EDGES)
            yield from re.split("-+", word) if word.replace("-", "").isalpha() else [word] if word else []


class _Letters(dict[int, int | str | None]):
    """A table for str.translate that fills itself: letters, digits and signs stay, other marks become spaces."""

    def __missing__(self, code: int) -> int | str | None:
        mark, category = chr(code), unicodedata.category(chr(code))
        if category == "Cf":  # soft hyphens and other invisible marks stand inside words
            self[code] = None
        elif category == "Pd":
            self[code] = "-"
        elif mark in "’ʼ":
            self[code] = "'"
        elif mark in _EDGES or category[0] in "LMN":
            self[code] = code
        elif mark == "%" or (category[0] == "S" and mark not in "`|"):
            self[code] = f" {mark} "
        else:
            self[code] = " "
        return self[code]


_LETTERS = _Letters()
