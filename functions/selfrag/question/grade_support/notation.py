"""Numbers in one notation, however a text writes them (pure).

Numbers in words are read in English, and ideographs before a counter; in other languages they stay words.
"""

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_SMALL = f"zero|{_ONES}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
_CARDINAL = re.compile(rf"\b(?:({_TENS})(?:[- ]({_ONES}))?|({_SMALL}))\b", re.I)
_ORDINAL = re.compile(rf"\b({_ORDINALS})\b", re.I)

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "千": 1000, "万": 10**4, "億": 10**8}
_SCALED = re.compile(rf"(?<!\d)(?<!\d[.,])(\d++(?:[.,]\d++)*+)\s?({'|'.join(_SCALES)})(?![a-z])", re.I)
_GROUPED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?:[,'’ ]\d{3})+)(?![\d,])")

_DIGITS = {mark: value for value, mark in enumerate("〇一二三四五六七八九")}
_PLACES = {"十": 10, "百": 100, "千": 1000}
# Without a counter after it such a run is mostly a part of another word.
_IDEOGRAPHS = re.compile(
    r"(?<![\d〇一二三四五六七八九十百千])[〇一二三四五六七八九十百千]++(?=[年月日時分秒円人回週個名歳階件割度枚本台点泊万億かカヶケつ])"
)
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_ERA_YEAR = re.compile(rf"({'|'.join(_ERAS)})\s?(\d+|元)年")

# Units of a number: the sign or code before it, the word or sign after it.
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


def in_one_notation(text: str) -> str:
    """Return the text with full-width signs, words, thousands, scales, eras and currencies in one notation.

    `1,800` is 1800, `two hundred` 200, `fourth` 4th, `10万円` 100000 JPY, `令和8年` 2026年, `80 per cent` 80 %.
    """
    text = "".join(_plain_digit(mark) for mark in unicodedata.normalize("NFKC", text))
    readings: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (_ERA_YEAR, lambda found: f"{_ERAS[found[1]] + (1 if found[2] == '元' else int(found[2]))}年"),
        (_IDEOGRAPHS, lambda found: str(_value_of(found[0]))),
        (_CARDINAL, _cardinal),
        (_ORDINAL, lambda found: _with_ending(_place(found[1], _ORDINALS) + 1)),
        (_GROUPED, lambda found: found[1] + re.sub(r"\D", "", found[2])),
        (_SCALED, _scaled),
    )
    for pattern, read in readings:
        text = pattern.sub(read, text)
    for pattern, written in (*_AFTER, *_BEFORE):
        text = pattern.sub(written, text)
    return text


def _plain_digit(mark: str) -> str:
    return str(unicodedata.decimal(mark)) if mark.isdecimal() else mark


def _cardinal(found: re.Match[str]) -> str:
    if found[3]:
        return str(_place(found[3], _SMALL))
    ones = _place(found[2], _ONES) + 1 if found[2] else 0
    return str(10 * (_place(found[1], _TENS) + 2) + ones)


def _place(word: str, words: str) -> int:
    return words.split("|").index(word.lower())


def _with_ending(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _scaled(found: re.Match[str]) -> str:
    number = Decimal(found[1].replace(",", ".")) if found[1].count(",") + found[1].count(".") < 2 else None
    return found[0] if number is None else f"{(number * _SCALES[found[2].lower()]).normalize():f}"


def _value_of(ideographs: str) -> int:
    """Return the value of a run such as 二十五 or 二〇二六."""
    total, digits = 0, ""
    for mark in ideographs:
        if mark in _DIGITS:
            digits += str(_DIGITS[mark])
        else:
            total += int(digits or 1) * _PLACES[mark]
            digits = ""
    return total + int(digits or 0)
