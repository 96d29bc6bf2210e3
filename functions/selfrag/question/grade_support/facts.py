"""The facts of a sentence that code can compare: its numbers, dates and names (pure)."""

import re
from dataclasses import dataclass
from decimal import Decimal

from selfrag.question.grade_support.notation import in_one_notation
from selfrag.text.east_asian import RUN

_EAST_ASIAN = RUN.pattern[:-1]
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH = "|".join(f"{month}|{month[:3]}\\b\\.?" for month in _MONTHS.split("|")) + r"|Sept\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_TOKEN = re.compile(
    rf"""(?P<iso>(?<!\d)\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d))
    |(?P<east>(?<!\d)(?:\d{{4}}\s?[年년]\s?)?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日일号])?)
    |(?P<west>(?<!\d)\d{{1,2}}(?P<mark>[./])\d{{1,2}}(?P=mark)\d{{4}}(?!\d))
    |(?P<day_first>(?<!\d){_DAY}(?:\ of)?\ (?:{_MONTH})(?:,?\ \d{{4}}(?!\d))?)
    |(?P<month_first>\b(?:{_MONTH})(?:\ {_DAY}(?!\d))?(?:,?\ \d{{4}}(?!\d))?)(?![a-z])
    |(?P<number>(?:(?<![^\s(])[-−])?\d+(?:(?:[.,]\d+)+|:\d\d)?(?:st|nd|rd|th)?)
    |(?P<katakana>[\u30a1-\u30fa\u30fc]{{2,}})
    |(?P<east_asian>{_EAST_ASIAN}+?(?=[\u30a1-\u30fa\u30fc]{{2}}|(?!{_EAST_ASIAN})|$))
    |(?P<word>(?!{_EAST_ASIAN})[^\W\d_](?:(?!{_EAST_ASIAN})\w|['’.@-](?=(?!{_EAST_ASIAN})[^\W_]))*)""",
    re.X,
)
_COMPOUND = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
_UNIT = re.compile(rf"[\s-]{{0,2}}(%|{_EAST_ASIAN}|(?:(?!{_EAST_ASIAN})[^\W\d_])+)")
# Units that every language writes alike, in one notation.
CODES = frozenset(("%", "EUR", "USD", "JPY", "GBP", "PLN", "KRW", "CHF", "CNY"))


@dataclass(frozen=True)
class Number:
    """A number in one notation, and the word or sign after it ("" for none)."""

    value: str
    unit: str


@dataclass(frozen=True)
class Date:
    """A year, a month and a day, each "" if it is missing."""

    parts: tuple[str, str, str]


Fact = Number | Date | str


@dataclass(frozen=True)
class Facts:
    """The facts of a sentence in their order, and its other words; a name is a string.

    `first` is a capitalised word that begins the sentence and may be a name ("" for none). East Asian words are pairs
    of letters, because no space parts them; `compounds` are runs of ideographs, which may hold names.
    """

    told: tuple[Fact, ...]
    words: frozenset[str]
    first: str
    compounds: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names in their order."""
        return [fact for fact in self.told if isinstance(fact, str)]

    @property
    def figures(self) -> list[Fact]:
        """Return the numbers and dates in their order."""
        return [fact for fact in self.told if not isinstance(fact, str)]

    @property
    def vocabulary(self) -> frozenset[str]:
        """Return all words and names."""
        return self.words | {*self.names, self.first} - {""}


def facts_of(sentence: str) -> Facts:
    """Return the facts of one sentence."""
    text = in_one_notation(sentence)
    told: list[Fact] = []
    words: set[str] = set()
    first, begun, read = "", False, 0
    for found in _TOKEN.finditer(text):
        kind, said = str(found.lastgroup), found[0]
        if found.start() < read:
            continue
        if kind == "number":
            unit = _UNIT.match(text, found.end())
            told.append(Number(_value(said), _root(unit[1]) if unit else ""))
            read = unit.end() if unit and unit[1] in CODES else 0
        elif kind == "east_asian":
            words |= pairs_of(said)
        elif kind not in ("word", "katakana"):
            told.append(_date(kind, said))
        elif kind == "katakana" or (begun and said != said.lower()) or any(m.isdigit() or m == "@" for m in said):
            told.append(_root(said))
        elif said != said.lower():
            first = _root(said)
        else:
            words.add(_root(said))
        begun = True
    return Facts(tuple(told), frozenset(words), first, tuple(_COMPOUND.findall(text)))


def pairs_of(run: str) -> set[str]:
    """Return the letters of a run two by two."""
    return {run[at : at + 2] for at in range(max(1, len(run) - 1))}


def _root(word: str) -> str:
    """Return a word without case, and without the ending of an English plural or genitive; a code unchanged."""
    if word in CODES:
        return word
    word = re.sub(r"['’]s?$", "", word.casefold())
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _value(said: str) -> str:
    """Return a number for comparison; one whose point may part thousands or decimals equals only itself."""
    said = said.replace("−", "-")
    if re.fullmatch(r"-?\d+(?:[.,]\d+)?", said) and not re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", said):
        return f"{Decimal(said.replace(',', '.')).normalize():f}"
    return said.lstrip("0") or said


def _date(kind: str, said: str) -> Date:
    numbers = [each.lstrip("0") or each for each in re.findall(r"\d+", said)]
    if kind == "iso":
        return Date((numbers[0], numbers[1], numbers[2]))
    if kind == "west":
        return _of_numbers(said, numbers)
    if kind == "east":
        year = numbers.pop(0) if re.search("[年년]", said) else ""
        return Date((year, numbers[0], numbers[1] if len(numbers) > 1 else ""))
    name = re.search("[A-Z][a-z]{2}", said)
    month = next((n for n, each in enumerate(_MONTHS.split("|"), 1) if name and each.startswith(name[0])), 0)
    year = numbers.pop() if numbers and len(numbers[-1]) == 4 else ""
    return Date((year, str(month), numbers[0] if numbers else ""))


def _of_numbers(said: str, numbers: list[str]) -> Date:
    """Return the date of numbers: 31.1.2026 and 31/1/2026 have a known day; 2/1/2026 equals only itself."""
    one, two, year = numbers
    if "." in said or int(one) > 12:
        return Date((year, two, one))
    return Date((year, one, two)) if int(two) > 12 else Date((said, "", ""))
