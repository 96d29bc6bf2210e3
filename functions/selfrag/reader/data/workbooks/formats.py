"""Numbers as a spreadsheet shows them, by the format of their cell: a day, a percentage, an amount."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from xlfmt import format_value

# The formats that have no text in a file of Excel's own; those from 27 to 58 are East Asia's days and times.
_DAYS = "yyyy-mm-dd"
BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "0", 4: "0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??"},
    **{16: "d-mmm", 17: "mmm-yy", 37: "0;(0)", 38: "0;(0)", 39: "0.00;(0.00)", 40: "0.00;(0.00)", 48: "##0.0E+0"},
    **dict.fromkeys((14, 15, *range(27, 32), 36, *range(50, 55), 57, 58), _DAYS),
    **dict.fromkeys((18, 20, 32, 34, 55), "h:mm") | dict.fromkeys((19, 21, 33, 35, 56), "h:mm:ss"),
    **{22: f"{_DAYS} h:mm", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0"},
}
MAX_FORMAT = 255  # characters that Excel lets a format have
LONG = re.compile(r"-?[1-9]\d{15,30}")
_SIGNIFICANT = 15  # digits, as Excel shows at most
_EXACT = Context(prec=1_200, rounding=ROUND_HALF_UP)  # digits of the largest number by the longest format
_NUMBER, _AT = "\ue000", "\ue001"  # stand for all stored digits, and for an @ that is no text's place
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
    """A format in the words of the library: `code` is that of numbers, `first` its first section.

    `text` are the words of a text, which _NUMBER stands for. `unit` are the seconds below which nothing is shown, 0 if
    all is; None for a number that is no time. `hides` is whether a section is empty.
    """

    code: str
    first: str
    text: str
    hides: bool
    unit: int | None
    has_day: bool


@lru_cache(maxsize=10_000)  # a sheet repeats its numbers
def shown(number: float, code: str, since_1904: bool = False, exact: str = "") -> str:
    """Return a number as its cell shows it, but days in ISO 8601, hours by 24, and no marks between thousands.

    A format that shows nothing gives "". Of a format the first MAX_FORMAT characters count. `exact` is how the file
    writes the number: of a long one people search for all digits, and Excel shows 15.
    """
    digits = exact if LONG.fullmatch(exact) else plain(number)
    if code in ("", "General") or not isfinite(number):
        return digits
    layout, value = _layout(code[:MAX_FORMAT]), Decimal(digits)
    if layout.unit is not None and number < 0:
        return digits if layout.has_day else f"-{shown(-number, code, since_1904)}"
    own = digits if layout.code == layout.first else digits.lstrip("-")
    try:
        with localcontext(_EXACT):
            if layout.unit:  # the library rounds to the smallest unit, and Excel cuts
                seconds = (value * 86_400).to_integral_value()
                value = (seconds - seconds % layout.unit) / 86_400
            # A sign alone, such as the dash of bookkeepers for zero, would read as if the number were missing.
            for sections in (layout.code, layout.first):
                text = format_value(value, sections, since_1904).replace(_NUMBER, own).replace(_AT, "@")
                if any(map(str.isalnum, text)):
                    return " ".join(text.split())
                if not text and layout.hides:
                    return ""
    except (ArithmeticError, ValueError):  # a day that is in no calendar
        pass
    return digits


def shown_text(text: str, code: str) -> str:
    """Return a text as its cell shows it: the fourth section of a format, or the last one with @, is that of texts."""
    return _layout(code[:MAX_FORMAT]).text.replace(_NUMBER, text, 1)


def plain(number: float) -> str:
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
    """Return the date letters of a section by place, where M is minutes and p half of a day; none beside digits."""
    if any(kind == "place" for kind, _ in tokens):
        return {}
    places = [place for place, (kind, _) in enumerate(tokens) if kind in ("date", "elapsed", "half")]
    letters = "".join(_letter(*tokens[place]) for place in places)
    return dict(zip(places, _MINUTES.sub("M", letters).replace("n", "m"), strict=True))


def _letter(kind: str, value: str) -> str:
    first = value[:1].lower()
    return (
        "p"
        if kind == "half"
        else "M"
        if (kind, first) == ("elapsed", "m")
        else _LONG_NAMES.get(value[:3].lower(), first)
    )


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
    """Return where a clock has its colon, or what stands for it as in 14 Uhr 30; -1 if words follow, or it is none."""
    places = [place for place, meaning in times.items() if meaning == "M" and times.get(place - 2) == "h"]
    ends_with_it = bool(places) and not any(kind in _LITERALS and value.strip() for kind, value in tokens[places[0] :])
    return places[0] - 1 if ends_with_it and tokens[places[0] - 2][0] == "date" else -1
