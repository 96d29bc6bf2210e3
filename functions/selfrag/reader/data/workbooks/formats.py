"""Number formats: render a number as the spreadsheet shows it, such as a date, percentage or amount."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from xlfmt import format_value

# Built-in formats without text in the file; 27 to 58 are East Asian dates and times.
_DAYS = "yyyy-mm-dd"
BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "0", 4: "0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??"},
    **{16: "d-mmm", 17: "mmm-yy", 37: "0;(0)", 38: "0;(0)", 39: "0.00;(0.00)", 40: "0.00;(0.00)", 48: "##0.0E+0"},
    **dict.fromkeys((14, 15, *range(27, 32), 36, *range(50, 55), 57, 58), _DAYS),
    **dict.fromkeys((18, 20, 32, 34, 55), "h:mm") | dict.fromkeys((19, 21, 33, 35, 56), "h:mm:ss"),
    **{22: f"{_DAYS} h:mm", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0"},
}
MAX_FORMAT = 255  # Excel's limit of characters in a format
LONG = re.compile(r"-?[1-9]\d{15,30}")
_SIGNIFICANT = 15  # Excel's limit of displayed digits
_EXACT = Context(prec=1_200, rounding=ROUND_HALF_UP)  # digits of the largest number by the longest format
_NUMBER, _AT = "\ue000", "\ue001"  # placeholders for all stored digits, and for a literal @
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*+)"?|\\(?P<escaped>.?)|\[\$(?P<currency>[^\]-]*+)[^\]]*+\]?|\[(?P<elapsed>h+|m+|s+)\]'
    r"|(?P<condition>\[[<>=][^\]]*+\])|\[[^\]]*+\]?|(?P<blank>_).?|\*.?|(?P<end>;)|(?P<text>@)|(?P<general>general)"
    r"|(?P<half>(?:\\?\x20){0,9}+(?:am/pm|a/p))|(?P<power>e[+-])|(?P<split>(?<=[s\]])\.0+)"
    r"|(?P<date>y+|m+|d+|h+|s+|e+|g+)|(?P<comma>,+(?=[0#?]))|(?P<place>[0#?])|(?P<dot>\.(?![0#?]))|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_LITERALS = frozenset({"quoted", "escaped", "currency"})
_OF_DAYS = frozenset("ymdeg")
_MINUTES, _LONG_NAMES = re.compile("(?<=h)m|m(?=s)"), {"mmm": "n", "ddd": "g"}  # of months, and of days of the week
_BEHIND_A_DAY = frozenset("日일.")
_MAX_SECTIONS = 4  # of numbers above, below and at zero, and of texts
Token = tuple[str, str]


class Layout(NamedTuple):
    """A format translated for the library: `code` for numbers, `first` its first section.

    `text` formats strings, with _NUMBER as the placeholder. `unit` is the smallest displayed time unit in seconds, 0
    for all, None if not a time. `hides` is True if a section is empty.
    """

    code: str
    first: str
    text: str
    hides: bool
    unit: int | None
    has_day: bool


@lru_cache(maxsize=10_000)  # a sheet repeats its numbers
def format_number(number: float, code: str, since_1904: bool = False, exact: str = "") -> str:
    """Render a number by its cell format, with ISO dates, 24-hour times and no thousands separators.

    Returns "" if the format hides the value. Only the first MAX_FORMAT characters of a format count. `exact` is the
    number as stored: people search for all digits, and Excel shows 15.
    """
    digits = exact if LONG.fullmatch(exact) else format_plain(number)
    if code in ("", "General") or not isfinite(number):
        return digits
    layout, value = _layout(code[:MAX_FORMAT]), Decimal(digits)
    if layout.unit is not None and number < 0:
        return digits if layout.has_day else f"-{format_number(-number, code, since_1904)}"
    own = digits if layout.code == layout.first else digits.lstrip("-")
    try:
        with localcontext(_EXACT):
            if layout.unit:  # the library rounds to the smallest unit, Excel truncates
                seconds = (value * 86_400).to_integral_value()
                value = (seconds - seconds % layout.unit) / 86_400
            # A lone sign, such as an accountant's dash for zero, would read like a missing number.
            for sections in (layout.code, layout.first):
                text = format_value(value, sections, since_1904).replace(_NUMBER, own).replace(_AT, "@")
                if any(map(str.isalnum, text)):
                    return " ".join(text.split())
                if not text and layout.hides:
                    return ""
    except (ArithmeticError, ValueError):  # a date outside the calendar
        pass
    return digits


def shown_text(text: str, code: str) -> str:
    """Render a text by the fourth section of its format, or the last one with @."""
    return _layout(code[:MAX_FORMAT]).text.replace(_NUMBER, text, 1)


def format_plain(number: float) -> str:
    """Return a number without an exponent, and without the digits that only the computer's arithmetic made."""
    text = f"{Decimal(format(number, f'.{_SIGNIFICANT}g')):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# A sheet has many cells and few formats.
@lru_cache(maxsize=256)
def _layout(code: str) -> Layout:
    parts = list[list[Token]]([[]])
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or ""
        if kind == "end":
            parts.append([])
        elif kind:
            parts[-1].append((kind, match[kind]))
    texts = parts[3] if len(parts) >= _MAX_SECTIONS else parts[-1] if ("text", "@") in parts[-1] else [("text", "@")]
    numbers = (parts[:-1] if texts is parts[-1] else parts[:3]) or [[("general", "")]]
    sections, times = list(map(_section, numbers)), _times(numbers[0])
    meanings = {*times.values()}
    unit = 1 if "s" in meanings else 60 if meanings & {"M", "p"} else 3_600 if "h" in meanings else 86_400
    words = "".join(_NUMBER if kind == "text" else value for kind, value in texts if kind in (*_LITERALS, "text"))
    return Layout(
        ";".join(sections),
        sections[0],
        words if _NUMBER in words or not texts else _NUMBER,
        not all(parts),
        None if not times else 0 if any(kind == "split" for kind, _ in numbers[0]) else unit,
        not meanings.isdisjoint(_OF_DAYS),
    )


def _times(tokens: list[Token]) -> dict[int, str]:
    """Map positions of date letters in a section, with M for minutes and p for half-days; empty if it has digits."""
    if any(kind == "place" for kind, _ in tokens):
        return {}
    places = [place for place, (kind, _) in enumerate(tokens) if kind in ("date", "elapsed", "half")]
    letters = "".join(_letter(*tokens[place]) for place in places)
    return dict(zip(places, _MINUTES.sub("M", letters).replace("n", "m"), strict=True))


def _letter(kind: str, value: str) -> str:
    first = value[:1].lower()
    if kind == "half":
        return "p"
    return "M" if (kind, first) == ("elapsed", "m") else _LONG_NAMES.get(value[:3].lower(), first)


def _section(tokens: list[Token]) -> str:
    """Return a section with a whole day in ISO 8601, hours by 24, and no marks between thousands."""
    times, is_fraction = _times(tokens), ("other", "/") in tokens
    meanings = {*times.values()}
    days = [place for place, meaning in times.items() if meaning in _OF_DAYS]
    span = range(days[0], days[-1] + 1) if meanings >= {"m", "d"} and meanings & {"y", "e"} else range(0)
    if any(times.get(place, "d") not in _OF_DAYS for place in span):
        span = range(0)
    elif span and tokens[span.stop : span.stop + 1] and tokens[span.stop][1] in _BEHIND_A_DAY:
        span = range(span.start, span.stop + 1)
    written, colon = list[str](), _colon(tokens, times)
    for place, (kind, value) in enumerate(tokens):
        if place in span:
            written += [_DAYS] if place == span[0] else []
        elif place == colon:
            written.append(":")
        elif kind == "half" and times:
            written += ["\\:mm"] if "M" not in meanings else []
        elif place in times:
            run = "yyyy" if times[place] == "e" else "hh" if span and times[place] == "h" else value
            written.append(f"[{value[:2]}]" if kind == "elapsed" else run)
        elif kind in ("general", "text"):
            written.append(f'"{_NUMBER}"')
        elif kind in ("condition", "power", "place", "split") or (kind == "other" and not times):
            written.append("#" if value == "?" and not is_fraction else value)  # no blanks to align digits
        elif kind != "comma":
            literal = " " if kind == "blank" else value.replace("@", _AT)
            written.append(f"\\{literal}" if literal == '"' else f'"{literal}"')
    return "".join(written)


def _colon(tokens: list[Token], times: dict[int, str]) -> int:
    """Return the position of the separator of a clock time (":" or words such as "14 Uhr 30"), or -1."""
    places = [place for place, meaning in times.items() if meaning == "M" and times.get(place - 2) == "h"]
    ends_with_it = bool(places) and not any(kind in _LITERALS and value.strip() for kind, value in tokens[places[0] :])
    return places[0] - 1 if ends_with_it and tokens[places[0] - 2][0] == "date" else -1
