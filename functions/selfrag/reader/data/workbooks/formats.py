"""Numbers as a spreadsheet shows them, by the format of their cell: a day, a percentage, an amount."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
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
_SIGNIFICANT = 15  # digits, as Excel shows at most
_MAX_DECIMALS, _MAX_UNIT = 15, 20
_EPOCH, _EPOCH_OF_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 600_000  # some day in the year 3500; before year 1 there would be none
_FIRST_TRUE_DAY = 60  # Excel believes in a 29 February 1900, so the days before it are one off


def shown(number: float, code: str, since_1904: bool = False) -> str:
    """Return a number as its cell shows it, but days in ISO 8601, and without marks between thousands.

    Of a format the first MAX_FORMAT characters count.
    """
    section = code[:MAX_FORMAT].partition(";")[0]
    bare = _bare(section)
    if "general" in bare.lower() or not bare.strip("@ "):
        return plain(number)
    if not _DIGITS.search(bare.replace(".0", "")) and (_has_date(bare) or _TIME.search(bare)):
        return _moment(number, bare, since_1904)
    return _amount(number, section, bare)


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


def _moment(number: float, bare: str, since_1904: bool) -> str:
    if abs(number) > _LAST_DAY:
        return plain(number)
    seconds = round(number * 86_400)
    if _ELAPSED.search(bare):
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    early = not since_1904 and number < _FIRST_TRUE_DAY
    moment = (_EPOCH_OF_1904 if since_1904 else _EPOCH) + timedelta(days=int(early), seconds=seconds)
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    if not _has_date(bare):
        return clock
    return f"{moment:%Y-%m-%d} {clock}" if _TIME.search(bare) and seconds % 86_400 else f"{moment:%Y-%m-%d}"


def _amount(number: float, section: str, bare: str) -> str:
    digits = _DIGITS.search(bare)
    percent = "%" in bare
    value = number * 100 if percent else number
    scaled = digits is None or "e" in bare.lower() or "/" in bare or bare[: digits.end()].endswith(",")
    decimals = len((digits and digits[1]) or "")
    text = plain(value) if scaled or decimals > _MAX_DECIMALS else f"{Decimal(plain(value)):.{decimals}f}"
    if digits and (digits[1] or "").endswith("#") and "." in text:
        text = text.rstrip("0").rstrip(".")
    return _with_unit(text + "%" * percent, section)


def _with_unit(text: str, section: str) -> str:
    """Return the amount with the texts that its format has before and after the digits, such as a currency."""
    spelt = _UNSEEN.sub(" ", _LITERAL.sub(lambda literal: literal[1] or literal[2] or literal[3] or "", section))
    digits = list(_DIGITS.finditer(spelt))
    if not digits:
        return text
    before, after = spelt[: digits[0].start()], spelt[digits[-1].end() :]
    before, after = before.replace("-", "").replace("(", "").strip(), after.replace("%", "").replace(")", "").strip()
    if len(before) + len(after) > _MAX_UNIT or _DIGITS.search(before):
        return text
    gap = " " if before[-1:].isalnum() else ""
    return f"{before}{gap}{text} {after}".strip()
