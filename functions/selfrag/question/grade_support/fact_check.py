"""Rule-based check that the evidence contains each number, date and code of an answer (pure).

Unlike `evidence`, it is lenient: facts match in any notation, with any unit, anywhere in the evidence or question.
Derived numbers pass, too: unit conversions, and totals that the question asks for or whose terms the sentence names.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from importlib.resources import files
from itertools import combinations

from selfrag.domain.passages import Passage
from selfrag.question.grade_support.facts import Date, Number, facts_of
from selfrag.text.sentences import split_sentences
from selfrag.text.words import words_of

# Non-English words for the notions that `evidence` reads in English: numbers, months, scales, fractions, units.
_NOTATIONS = json.loads((files(__package__) / "notations.json").read_text(encoding="utf-8"))
_WORDS = {
    word: str(number)
    for words in _NOTATIONS["numbers from 2"].values()
    for number, word in enumerate(words.split(), start=2)
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b|(?<=[가-힣 ])(?:두|세|네) (?=[가-힣])", re.IGNORECASE)
_MONTHS = {
    month: date(1, place, 1).strftime("%B")
    for months in _NOTATIONS["months"].values()
    for place, month in enumerate(months.split(), start=1)
}
_MONTH = re.compile(
    rf"\b(?:(\d{{1,2}})(?:\.|er|º)?\s?(?:de\s)?)?({'|'.join(_MONTHS)})(?:\s(?:del?\s)?(\d{{4}}))?\b", re.IGNORECASE
)
_SCALES = _NOTATIONS["powers of ten"]
_SCALED = re.compile(rf"(?<![\d.,])(\d++(?:[.,]\d++)?+)\s{{0,2}}({'|'.join(_SCALES)})(?![^\W\d_])\.?", re.IGNORECASE)
_FRACTIONS = {"½": "5", "¼": "25", "¾": "75"}
_FRACTION = re.compile(r"(?<!\d)(\d*+)\s?([½¼¾])")
_MYRIADS = re.compile(r"(?<!\d)(\d{1,4})\s?[万만]\s?(\d{1,4})(?!\d)")
_GROUPED_BY_POINTS = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d{1,2})(?!\d)")
_TWELVE_HOURS = re.compile(r"(?<!\d)(\d{1,2})(?:[:.](\d\d))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})\s?(?:h|時|시|Uhr)\s?(\d\d)(?!\d)")
# Not facts: item and passage numbers, and a first word that may not be a month.
_NO_FACT = re.compile(
    r"^[ \t*•–-]{0,20}(?:\(?\d{1,3}[.)](?=\s)|(?:step|schritt|étape|paso|ステップ|단계)\s?\d{1,2}\b)"
    r"|\b(?:passages?|sources?|quellen?|fuentes?)\s\d{1,2}(?:(?:,|\sand|\s&)\s\d{1,2})*+\b",
    re.MULTILINE | re.IGNORECASE,
)
_NO_MONTH = re.compile(r"^\W{0,20}(?:May|March)\b(?!\s\d)")
_PIECES = re.compile(r"[^\W\d_]+|\d+")
_MIN_WORD = 3  # letters
_MIN_DIGITS = 5  # Numbers with this many digits may be grouped arbitrarily.
# Question words that ask for a total, difference, average or share.
_ASKS_TO_CALCULATE = re.compile(
    rf"\b(?:{'|'.join(_NOTATIONS['asks to calculate'])})\b|{_NOTATIONS['asks to calculate, East Asian']}", re.IGNORECASE
)
_LONGEST_SYMBOL = 2
_MIN_ROUNDED = 10
_TO_METRIC = tuple(map(Decimal, ("1.609344", "0.45359237", "2.54", "0.3048")))


@dataclass(frozen=True)
class _Text:
    """A text of the evidence: numbers with units, dates, codes, and the lower-cased text."""

    numbers: frozenset[Number]
    dates: frozenset[Date]
    codes: frozenset[str]
    text: str


class FactChecker:
    """Finds facts of a sentence that neither the evidence nor the question contains."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        self._question = _read(question)
        self._calculates = bool(_ASKS_TO_CALCULATE.search(question))
        self._texts = [self._question, *(_read(_all_text(passage)) for passage in passages)]
        self._digits = ["".join(re.findall(r"\d+|[^\d\s/().-]", each.text)) for each in self._texts]
        self._values = {value for each in self._texts for value in _values_of(each)}
        self._units = {number.unit for each in self._texts for number in each.numbers if number.unit}
        self._sources = passages

    @cached_property
    def _lines(self) -> list[tuple[set[str], _Text]]:
        lines = [line for passage in self._sources for line in split_sentences(_all_text(passage))]
        return [(words_of(line), _read(line)) for line in lines]

    def unfound(self, text: str) -> list[str]:
        """Return the unfound facts in normalized notation: `512`, `2026-05-03`, `e-104`."""
        return list(dict.fromkeys(fact for sentence in split_sentences(text) for fact in self._unfound(sentence)))

    def _unfound(self, sentence: str) -> Iterator[str]:
        text = _NO_MONTH.sub(" ", _NO_FACT.sub(" ", sentence))
        read, digits = _read(text), set(re.findall(r"\d+", unicodedata.normalize("NFKC", text)))
        stated = [number for number in read.numbers if self._has_number(number)]
        for number in sorted(read.numbers - set(stated), key=lambda each: text.find(each.value)):
            # A small number word may count items of the sentence, unless the evidence counts such things.
            is_in_words = len(number.value) < _MIN_DIGITS and not digits & set(re.findall(r"\d+", number.value))
            counts = not is_in_words or (number.unit in self._units and number.value not in ("1st", "2nd"))
            if counts and not self._is_derived(number, stated, words_of(text)):
                yield number.value
        yield from ("-".join(filter(None, day.parts)) for day in sorted(read.dates, key=str) if not self._has(day))
        yield from (code for code in sorted(read.codes) if not self._has_code(code))

    def _has_number(self, number: Number) -> bool:
        if _readings(number.value) & self._values:
            return True
        long = len(number.value) >= _MIN_DIGITS and number.value.isdigit()
        return (long and any(number.value in digits for digits in self._digits)) or any(
            _is_converted(number, other) for each in self._texts for other in each.numbers
        )

    def _has_code(self, code: str) -> bool:
        """Return whether the evidence contains a code; for a word with a number, only the number counts."""
        pieces = _PIECES.findall(code)
        if any(len(piece) >= _MIN_WORD and piece.isalpha() for piece in pieces):
            return all(piece in self._values for piece in pieces if piece.isdigit())
        return any(_holds_code(each.text, pieces) for each in self._texts)

    def _has(self, day: Date) -> bool:
        """Return whether the evidence contains a date; year or day may occur apart from the month."""
        for each in self._texts:
            agreeing = [other for other in each.dates if _agree(day, other)]
            parts = {part for other in agreeing for part in other.parts}
            if agreeing and all(part in parts | self._values for part in day.parts if part):
                return True
            day_and_year = {day.parts[0], day.parts[2]} - {""}
            near = any({other.parts[0], other.parts[2]} & day_and_year for other in each.dates)
            # The month may be in an unsupported language.
            if day_and_year and not near and day_and_year <= _values_of(each):
                return True
        return False

    def _is_derived(self, number: Number, stated: Sequence[Number], words: set[str]) -> bool:
        """Return whether a number follows from the sentence and question, or from the evidence if requested."""
        result = _decimal(number.value)
        own = [*dict.fromkeys(_decimal(each.value) for each in [*stated, *self._question.numbers])]
        nearest = sorted(self._lines, key=lambda line: -len(words & line[0]))[:3]
        near = [*dict.fromkeys(_decimal(each.value) for _, line in nearest for each in line.numbers)]
        operands = [value for value in own if value is not None]
        others = [value for value in near if value is not None and value not in operands]
        if result is None:
            return False
        pairs = [(a, b) for a in operands for b in [*operands, *others]]
        if self._calculates:
            pairs += combinations(others, 2)
            operands += others
        groups = [values for values in (operands, others) if len(values) > 1]
        sums = [sum(values, Decimal()) / part for values in groups for part in (1, len(values))]
        sums += [converted for value in operands for converted in _conversions(value)]
        return any(_equals(result, value) for value in [*sums, *(v for pair in pairs for v in _results(*pair))])


def _read(text: str) -> _Text:
    facts = facts_of(_normalize_notation(text))
    return _Text(
        numbers=frozenset(fact for fact in facts.figures if isinstance(fact, Number)),
        dates=frozenset(fact for fact in facts.figures if isinstance(fact, Date)),
        codes=frozenset(name.casefold() for name in facts.names if any(map(str.isdigit, name))),
        text=unicodedata.normalize("NFKC", text).casefold(),
    )


def _all_text(passage: Passage) -> str:
    head = (passage.document, passage.title, passage.date, passage.heading, passage.locator, passage.text)
    return "\n".join(map(str, filter(None, head)))


def _normalize_notation(text: str) -> str:
    """Normalize number and month words, clock times, fractions and scales for `evidence`."""
    text = _FRACTION.sub(lambda match: f" {match[1] or 0}.{_FRACTIONS[match[2]]}", text)
    text = unicodedata.normalize("NFKC", text)
    text = _WORD.sub(lambda match: f"{_WORDS[match[0].strip().lower()]} ", text)
    text = _MONTH.sub(lambda m: " ".join(filter(None, (m[1], _MONTHS[m[2].lower()], m[3]))), text)
    text = _MYRIADS.sub(lambda match: str(10_000 * int(match[1]) + int(match[2])), text)
    text = _GROUPED_BY_POINTS.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text)
    text = _TWELVE_HOURS.sub(lambda m: f"{int(m[1]) % 12 + 12 * (m[3] in 'pP')}:{m[2] or '00'}", text)
    text = re.sub(r"(?<=\d)\s?[x×]\s?(?=\d)", " × ", _CLOCK.sub(r"\1:\2", text))
    return _SCALED.sub(lambda match: _scale(match[1], _SCALES[match[2].lower()]), text)


def _scale(number: str, power: int) -> str:
    value = _decimal(number.replace(",", "."))
    return number if value is None else f"{(value * 10**power).normalize():f}"


def _values_of(text: _Text) -> set[str]:
    values = {value for number in text.numbers for value in _readings(number.value)}
    values |= {part for day in text.dates for part in day.parts if part}
    values |= {number for code in text.codes for number in re.findall(r"\d+", code)}
    return values | {value for value, words in _NOTATIONS["parts"].items() if re.search(words, text.text)}


def _readings(value: str) -> set[str]:
    """Return possible values of a number: 1.800 is 1800 or 1.8, 9.30 may be 9:30, and 4th is 4."""
    plain = value.lstrip("-")
    readings = {value, plain, re.sub(r"(?:st|nd|rd|th)$", "", plain)}
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        readings.add(re.sub(r"[.,]", "", plain))
    if (decimal := _decimal(plain.replace(",", "."))) is not None:
        readings.add(f"{decimal.normalize():f}")
    if clock := re.fullmatch(r"(\d{1,2})[.:](\d\d?)", plain):
        hour, minute = int(clock[1]), clock[2].ljust(2, "0")
        readings |= {f"{hour}:{minute}", f"{(hour + 12) % 24}:{minute}"}
        readings |= {str(hour), str((hour + 12) % 24)} if minute == "00" else set()
    return readings


def _decimal(value: str) -> Decimal | None:
    try:
        return Decimal(value)
    except InvalidOperation:
        return None


def _agree(day: Date, other: Date) -> bool:
    both = [(mine, theirs) for mine, theirs in zip(day.parts, other.parts, strict=True) if mine and theirs]
    return bool(both) and all(mine == theirs for mine, theirs in both)


def _is_converted(number: Number, other: Number) -> bool:
    """Return whether two numbers are equal after unit conversion, such as 120 minutes and 2 hours."""
    mine, theirs = _decimal(number.value), _decimal(other.value)
    if mine is None or theirs is None:
        return False
    for kind in _NOTATIONS["units"]:
        factors = [_factor(kind, unit) for unit in (number.unit, other.unit)]
        if factors[0] and factors[1] and mine * factors[0] == theirs * factors[1]:
            return True
    return False


def _factor(kind: dict[str, int], unit: str) -> int:
    for names, factor in kind.items():
        for name in names.split("|"):
            if unit == name or (len(name) > _LONGEST_SYMBOL and unit.startswith(name)):
                return factor
    return 0


def _conversions(value: Decimal) -> Iterator[Decimal]:
    """Yield conversions between unit systems: degrees, miles, pounds, inches and feet."""
    yield from ((value - 32) * 5 / 9, value * 9 / 5 + 32)
    for factor in _TO_METRIC:
        yield from (value * factor, value / factor)


def _results(a: Decimal, b: Decimal) -> Iterator[Decimal]:
    yield from (a + b, a - b, b - a, a * b, a * b / 100)
    for part, whole in ((a, b), (b, a)):
        if whole:
            yield from (part / whole, 100 * part / whole, 100 * (part - whole) / whole)


def _equals(result: Decimal, value: Decimal | int) -> bool:
    """Return whether a number equals a value, rounded to its decimals unless small."""
    places = max(0, -int(result.as_tuple().exponent))
    return value == result or ((places > 0 or result >= _MIN_ROUNDED) and round(Decimal(value), places) == result)


def _holds_code(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text contains a code with any separator: E-104, E 104."""
    version = pieces[0] == "v"
    pattern = r"[\s_./'’-]{0,3}".join(map(re.escape, pieces[version:]))
    return re.search(rf"(?<![a-z0-9]){'v?' if version else ''}{pattern}s?(?![a-z0-9])", text) is not None
