"""Facts of a sentence: numbers, dates and names (pure).

Numbers are normalized; number words are read in English, and ideographs before a counter.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

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
# Language-independent units, normalized.
CODES = frozenset(("%", "EUR", "USD", "JPY", "GBP", "PLN", "KRW", "CHF", "CNY"))

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_SMALL = f"zero|{_ONES}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
_CARDINAL = re.compile(rf"\b(?:({_TENS})(?:[- ]({_ONES}))?|({_SMALL}))\b", re.I)
_ORDINAL = re.compile(rf"\b({_ORDINALS})\b", re.I)

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "千": 1000, "万": 10**4, "億": 10**8}
_SCALED = re.compile(rf"(?<!\d)(?<!\d[.,])(\d++(?:[.,]\d++)*+)\s?({'|'.join(_SCALES)})(?![a-z])", re.I)
_GROUPED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?:[,'’ ]\d{3})+)(?!,?\d)")

_DIGITS = {mark: value for value, mark in enumerate("〇一二三四五六七八九")}
_PLACES = {"十": 10, "百": 100, "千": 1000}
# Without a counter, such a run is usually part of another word.
_IDEOGRAPHS = re.compile(
    r"(?<![\d〇一二三四五六七八九十百千])[〇一二三四五六七八九十百千]++(?=[年月日時分秒円人回週個名歳階件割度枚本台点泊万億かカヶケつ])"
)
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_ERA_YEAR = re.compile(rf"({'|'.join(_ERAS)})\s?(\d+|元)年")

# Units: a sign or code before a number, a word or sign after it.
_MONEY = {
    "EUR": "€|EUR|euros?|ユーロ|欧元|유로",
    "USD": r"US\$|\$|USD|(?:US )?dollars?|ドル|美元|달러",
    "JPY": "¥|JPY|yen|円|日元|엔",
    "GBP": "£|GBP|pounds?(?: sterling)?|ポンド|英镑",
    "PLN": "PLN|zł",
    "KRW": "₩|KRW|won|ウォン|원",
    "CHF": "CHF|(?:Swiss )?francs?",
    "CNY": "CNY|RMB|yuan|人民元|元",
    "%": "%|percent|per cent|パーセント|퍼센트",
}
_AFTER = [(re.compile(rf"(?<=\d)\s?(?:{words})(?![a-zł])", re.I), f" {code}") for code, words in _MONEY.items()]
_BEFORE = [
    (re.compile(rf"(?<![A-Za-z\d])(?<!\d )(?:{words})\s?(\d+(?:\.\d+)?)"), rf"\1 {code}")
    for code, words in _MONEY.items()
    if code != "%"
]


@dataclass(frozen=True)
class Number:
    """A normalized number and the word or sign after it ("" for none)."""

    value: str
    unit: str


@dataclass(frozen=True)
class Date:
    """Year, month and day, "" if missing."""

    parts: tuple[str, str, str]


Fact = Number | Date | str


@dataclass(frozen=True)
class SentenceFacts:
    """The facts of a sentence in order, and its other words; names are strings.

    `first` is a capitalized first word that may be a name. East Asian words are letter pairs; `compounds` are runs of
    ideographs, which may contain names.
    """

    facts: tuple[Fact, ...]
    words: frozenset[str]
    first: str
    compounds: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names in order."""
        return [fact for fact in self.facts if isinstance(fact, str)]

    @property
    def figures(self) -> list[Fact]:
        """Return the numbers and dates in order."""
        return [fact for fact in self.facts if not isinstance(fact, str)]

    @property
    def vocabulary(self) -> frozenset[str]:
        """Return all words and names."""
        return self.words | {*self.names, self.first} - {""}


def facts_of(sentence: str) -> SentenceFacts:
    """Return the facts of one sentence."""
    text = normalize_notation(sentence)
    facts: list[Fact] = []
    words: set[str] = set()
    first, begun, read = "", False, 0
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if match.start() < read:
            continue
        if kind == "number":
            unit = _UNIT.match(text, match.end())
            facts.append(Number(_value(token), _root(unit[1]) if unit else ""))
            read = unit.end() if unit and unit[1] in CODES else 0
        elif kind == "east_asian":
            words |= pairs_of(token)
        elif kind not in ("word", "katakana"):
            facts.append(_date(kind, token))
        elif kind == "katakana" or (begun and token != token.lower()) or any(m.isdigit() or m == "@" for m in token):
            facts.append(_root(token))
        elif token != token.lower():
            first = _root(token)
        else:
            words.add(_root(token))
        begun = True
    return SentenceFacts(tuple(facts), frozenset(words), first, tuple(_COMPOUND.findall(text)))


def pairs_of(run: str) -> set[str]:
    """Return the adjacent letter pairs of a run."""
    return {run[at : at + 2] for at in range(max(1, len(run) - 1))}


def _root(word: str) -> str:
    """Return a word in lower case without an English plural or genitive ending; codes stay unchanged."""
    if word in CODES:
        return word
    word = re.sub(r"['’]s?$", "", word.casefold())
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _value(text: str) -> str:
    """Return a comparable number; one with an ambiguous point equals only itself."""
    text = text.replace("−", "-")
    if re.fullmatch(r"-?\d+(?:[.,]\d+)?", text) and not re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", text):
        return f"{Decimal(text.replace(',', '.')).normalize():f}"
    return text.lstrip("0") or text


def _date(kind: str, text: str) -> Date:
    numbers = [each.lstrip("0") or each for each in re.findall(r"\d+", text)]
    if kind == "iso":
        return Date((numbers[0], numbers[1], numbers[2]))
    if kind == "west":
        first, second, year = numbers
        # 31.1.2026 and 31/1/2026 are unambiguous, 2/1/2026 equals only itself.
        if "." in text or int(first) > 12:
            return Date((year, second, first))
        return Date((year, first, second)) if int(second) > 12 else Date((text, "", ""))
    if kind == "east":
        year = numbers.pop(0) if re.search("[年년]", text) else ""
        return Date((year, numbers[0], numbers[1] if len(numbers) > 1 else ""))
    name = re.search("[A-Z][a-z]{2}", text)
    month = next((n for n, each in enumerate(_MONTHS.split("|"), 1) if name and each.startswith(name[0])), 0)
    year = numbers.pop() if numbers and len(numbers[-1]) == 4 else ""
    return Date((year, str(month), numbers[0] if numbers else ""))


def normalize_notation(text: str) -> str:
    """Normalize full-width signs, number words, thousands, scales, eras and currencies.

    `1,800` is 1800, `two hundred` 200, `fourth` 4th, `10万円` 100000 JPY, `令和8年` 2026年, `80 per cent` 80 %.
    """
    text = unicodedata.normalize("NFKC", text)
    text = "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text)
    readings: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (_ERA_YEAR, lambda match: f"{_ERAS[match[1]] + (1 if match[2] == '元' else int(match[2]))}年"),
        (_IDEOGRAPHS, lambda match: str(_value_of(match[0]))),
        (_CARDINAL, _cardinal),
        (_ORDINAL, lambda match: _add_ending(_place(match[1], _ORDINALS) + 1)),
        (_GROUPED, lambda match: match[1] + re.sub(r"\D", "", match[2])),
        (_SCALED, _scale),
    )
    for pattern, read in readings:
        text = pattern.sub(read, text)
    for pattern, written in (*_AFTER, *_BEFORE):
        text = pattern.sub(written, text)
    return text


def _cardinal(match: re.Match[str]) -> str:
    if match[3]:
        return str(_place(match[3], _SMALL))
    ones = _place(match[2], _ONES) + 1 if match[2] else 0
    return str(10 * (_place(match[1], _TENS) + 2) + ones)


def _place(word: str, words: str) -> int:
    return words.split("|").index(word.lower())


def _add_ending(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _scale(match: re.Match[str]) -> str:
    number = Decimal(match[1].replace(",", ".")) if match[1].count(",") + match[1].count(".") < 2 else None
    return match[0] if number is None else f"{(number * _SCALES[match[2].lower()]).normalize():f}"


def _value_of(ideographs: str) -> int:
    """Return the value of an ideographic number such as 二十五 or 二〇二六."""
    total, digits = 0, ""
    for mark in ideographs:
        if mark in _DIGITS:
            digits += str(_DIGITS[mark])
        else:
            total += int(digits or 1) * _PLACES[mark]
            digits = ""
    return total + int(digits or 0)
