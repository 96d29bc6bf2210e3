"""Numbers as a spreadsheet shows them, by the format of their cell: a day, a percentage, an amount."""

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

# The formats that have no text in a file of Excel's own; those from 27 to 58 are East Asia's days and times.
_DAYS, _MOMENT, _DURATION = "yyyy-mm-dd", "yyyy-mm-dd h:mm", "[h]:mm:ss"
BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "0", 4: "0.00", 9: "0%", 10: "0.00%", 37: "0", 38: "0", 39: "0.00", 40: "0.00"},
    **dict.fromkeys((*range(14, 18), *range(27, 32), 36, *range(50, 55), 57, 58), _DAYS),
    **dict.fromkeys((*range(18, 22), *range(32, 36), 45, 47, 55, 56), "h:mm:ss"),
    **{22: _MOMENT, 46: _DURATION},
}
MAX_FORMAT = 255  # characters that Excel lets a format have
_LITERAL = re.compile(r'"([^"]*+)"|\\(.)|\[\$([^\]\[-]*+)(?:-[^\]\[]*+)?\]')
# A colour, a condition, a language; a space as wide as a character, and one that fills the cell.
_UNSEEN = re.compile(r"\[(?![hms]+\])[^\]\[]*+\]|_.|\*.", re.IGNORECASE)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.([0#?]+))?")
_DATE = re.compile(r"[ydge]|m(?!.*[hs])(?<![hs].)", re.IGNORECASE)
_TIME = re.compile(r"[hs]", re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
# A literal, a colour or condition, a wide or filling space, or a character.
_PARTS = re.compile(r'"[^"]{0,255}+"|\\.|\[[^\]]{0,80}+\]|_.|\*.|.', re.DOTALL)
_CONDITION = re.compile(r"\[(>=|<=|<>|[<>=])(-?\d{1,15}(?:\.\d{1,9})?)\]")
_PLACES, _ALL_SECTIONS = ("0", "#", "?"), 4
# A name that is one with the digits behind it, such as INV- or /2026.
_MARKED = re.compile(r'(?<=[^\W\d_])[-_/.#:]"[0#?]|[A-Za-z]\\-[0#?]|[0#?]"[-_/.#:](?=[^"\s])')
_QUOTED_AT = re.compile(r'"[^"@]*+@[^"]*+"')
LONG = re.compile(r"-?[1-9]\d{15,30}")
_SIGNIFICANT = 15  # digits, as Excel shows at most
_MAX_DECIMALS, _MAX_UNIT = 15, 20
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # digits of the largest number
_EPOCH, _EPOCH_OF_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 600_000  # some day in the year 3500; before year 1 there would be none
_FIRST_TRUE_DAY = 60  # Excel believes in a 29 February 1900, so the days before it are one off


def shown(number: float, code: str, since_1904: bool = False, exact: str = "") -> str:
    """Return a number as its cell shows it, but days in ISO 8601, and without marks between thousands.

    A format that shows nothing gives "". Of a format the first MAX_FORMAT characters count. `exact` is how the file
    writes the number: of a long one people search for all digits, and Excel shows 15.
    """
    section = _section(number, code[:MAX_FORMAT])
    if code and not section:
        return ""
    bare = _bare(section)
    digits = exact if LONG.fullmatch(exact) else plain(number)
    if "general" in bare.lower() or not bare.strip("@ "):
        literal = "".join(map(_literal, _LITERAL.finditer(section)))
        return digits if "general" in bare.lower() or "@" in bare or not literal else literal
    if not _DIGITS.search(bare.replace(".0", "")) and (_has_date(bare) or _TIME.search(bare)):
        return _moment(number, bare, since_1904)
    if _is_of_digits(section, bare):
        return _filled(number, section)
    return _amount(number, section, bare, digits)


def shown_text(text: str, code: str) -> str:
    """Return a text as its cell shows it: the fourth section of a format is that of texts."""
    sections = _sections(code[:MAX_FORMAT])
    section = sections[3] if len(sections) == _ALL_SECTIONS else "@" if "@" not in code else sections[-1]
    if not section:
        return ""
    literal = _UNSEEN.sub("", _LITERAL.sub(_literal, section))
    return literal.replace("@", text, 1) if "@" in section and not _QUOTED_AT.search(section) else text


@lru_cache(maxsize=256)
def _sections(code: str) -> list[str]:
    """Return the sections of a format: of numbers above, below and at zero, and of texts."""
    parts = [""]
    for match in _PARTS.finditer(code):
        if match[0] == ";":
            parts.append("")
        else:
            parts[-1] += match[0]
    return parts


def _section(number: float, code: str) -> str:
    """Return the section of a format that holds for a number: by its conditions, else by its sign.

    A negative number has its own sign before what positive ones show, unless its section holds no number.
    """
    sections = _sections(code)
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        pairs = zip(sections, conditions, strict=True)
        holds = (section for section, condition in pairs if condition is None or _holds(number, condition))
        return next(holds, sections[-1])
    own = {number < 0: 1, number == 0: 2}.get(True, 0)
    if own < min(len(sections), 3) and (not sections[own] or not _DIGITS.search(_bare(sections[own]))):
        spelt = _LITERAL.sub(lambda match: match[1] or "", sections[own])
        if not sections[own] or any(map(str.isalpha, spelt)):
            return sections[own]
    return sections[0]


def _holds(number: float, condition: re.Match[str]) -> bool:
    limit = float(condition[2])
    above, below, equal = number > limit, number < limit, number == limit
    return {">": above, "<": below, "=": equal, ">=": not below, "<=": not above, "<>": not equal}[condition[1]]


@lru_cache(maxsize=256)
def _is_of_digits(section: str, bare: str) -> bool:
    """Return whether a format is that of a code: it fills up with zeros, or has marks between or at its digits."""
    if "," in bare or "/" in bare or "e" in bare.lower() or "%" in bare:
        return False
    whole = bare.partition(".")[0]
    marked = _MARKED.search(_UNSEEN.sub("", section)) is not None
    return whole.count("0") > 1 or marked or len(_DIGITS.findall(bare)) > 1 - ("." in bare and not whole.strip())


def _filled(number: float, section: str) -> str:
    """Return the digits of a number in the places that a format has for them, from the right; the rest comes first."""
    parts = [match[0] for match in _PARTS.finditer(_UNSEEN.sub("", section))]
    point = parts.index(".") if "." in parts else len(parts)
    decimals = sum(part in _PLACES for part in parts[point:])
    whole, _, fraction = _rounded(plain(abs(number)), min(decimals, _MAX_DECIMALS)).partition(".")
    places = sum(part in _PLACES for part in parts[:point])
    left = list(whole.lstrip("0"))
    text = list[str]()
    for part in reversed(parts[:point]):
        if part not in _PLACES:
            text.append(_LITERAL.sub(_literal, part))
            continue
        places -= 1
        taken = left if places == 0 else left[-1:]
        text.append("".join(taken) or ("0" if part == "0" else " " if part == "?" else ""))
        del left[len(left) - len(taken) :]
    rest = iter(fraction)
    after = [next(rest, "0") if part in _PLACES else _LITERAL.sub(_literal, part) for part in parts[point:]]
    return ("-" if number < 0 else "") + " ".join(("".join(reversed(text)) + "".join(after)).split())


def _literal(literal: re.Match[str]) -> str:
    return literal[1] or literal[2] or literal[3] or ""


# A sheet has many cells and few formats.
@lru_cache(maxsize=256)
def _bare(section: str) -> str:
    return _UNSEEN.sub("", _LITERAL.sub("", section))


@lru_cache(maxsize=256)
def _has_date(bare: str) -> bool:
    return _DATE.search(bare) is not None


def plain(number: float) -> str:
    """Return a number without an exponent, and without the digits that only the computer's arithmetic made."""
    text = f"{Decimal(format(number, f'.{_SIGNIFICANT}g')):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rounded(number: str, decimals: int) -> str:
    """Return a number with so many decimals, rounded as a spreadsheet does, half up."""
    return f"{_EXACT.quantize(Decimal(number), Decimal(1).scaleb(-decimals)):f}"


def _moment(number: float, bare: str, since_1904: bool) -> str:
    if abs(number) > _LAST_DAY:
        return plain(number)
    seconds = round(number * 86_400)
    if elapsed := _ELAPSED.search(bare):
        return _elapsed(seconds, elapsed[0].lower(), bare.lower())
    early = not since_1904 and number < _FIRST_TRUE_DAY
    moment = (_EPOCH_OF_1904 if since_1904 else _EPOCH) + timedelta(days=int(early), seconds=seconds)
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    if not _has_date(bare):
        return clock
    return f"{moment:%Y-%m-%d} {clock}" if _TIME.search(bare) and seconds % 86_400 else f"{moment:%Y-%m-%d}"


def _elapsed(seconds: int, first: str, bare: str) -> str:
    """Return a duration as it is shown: hours, minutes or seconds, and what is below them if the format has it."""
    sign, seconds = "-" if seconds < 0 else "", abs(seconds)
    rest = bare.replace(first, "", 1)
    minutes = f":{seconds // 60 % 60:02}" if "m" in rest else ""
    ends = f":{seconds % 60:02}" if "s" in rest else ""
    units = {"h": f"{seconds // 3600}{minutes}{ends}", "m": f"{seconds // 60}{ends}", "s": f"{seconds}"}
    return sign + units[first[1]]


def _amount(number: float, section: str, bare: str, exact: str) -> str:
    digits = _DIGITS.search(bare)
    percent = "%" in bare
    scaled = digits is None or "e" in bare.lower() or "/" in bare or bare[: digits.end()].endswith(",")
    decimals = len((digits and digits[1]) or "")
    # As digits, for a hundred times the largest numbers are none that a computer has.
    digits_of = f"{_EXACT.scaleb(Decimal(plain(number)), 2):f}" if percent else exact
    text = digits_of if scaled or decimals > _MAX_DECIMALS else _rounded(digits_of, decimals)
    if digits and (digits[1] or "").endswith("#") and "." in text:
        text = text.rstrip("0").rstrip(".")
    return _with_unit(text + "%" * percent, section)


def _with_unit(text: str, section: str) -> str:
    """Return the amount with the texts that its format has before and after the digits, such as a currency."""
    spelt = _UNSEEN.sub(" ", _LITERAL.sub(_literal, section))
    digits = list(_DIGITS.finditer(spelt))
    if not digits:
        return text
    before, after = spelt[: digits[0].start()], spelt[digits[-1].end() :]
    before, after = before.replace("-", "").replace("(", "").strip(), after.replace("%", "").replace(")", "").strip()
    if len(before) + len(after) > _MAX_UNIT or _DIGITS.search(before):
        return text
    gap = " " if before[-1:].isalnum() else ""
    return f"{before}{gap}{text} {after}".strip()
