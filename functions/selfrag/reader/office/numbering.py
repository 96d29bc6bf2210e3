"""List and heading numbers as office programs count them."""

from collections.abc import Sequence

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_BELOW_TEN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
MAX_LEVELS = 10
_MAX_ROMAN = 3999
# Number format names of Word and OpenDocument.
ZERO_PADDED = "decimalZero"
_LOWER_LETTER, _UPPER_LETTER = ("lowerLetter", "a"), ("upperLetter", "A")
_LOWER_ROMAN, _UPPER_ROMAN = ("lowerRoman", "i"), ("upperRoman", "I")


def numeral(number: int, written: str) -> str:
    """Format a number as a list shows it; unknown formats use digits."""
    if written in _LOWER_ROMAN + _UPPER_ROMAN and 0 < number <= _MAX_ROMAN:
        letters = ""
        for value, digits in _ROMAN:
            letters += digits * (number // value)
            number %= value
        letters += _ROMAN_BELOW_TEN[number]
        return letters.upper() if written in _UPPER_ROMAN else letters
    if written in _LOWER_LETTER + _UPPER_LETTER and 0 < number <= _MAX_ROMAN:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if written in _UPPER_LETTER else letter
    return f"{number:02}" if written == ZERO_PADDED else str(number)


class Counters:
    """Current numbers of each list by id and level."""

    def __init__(self) -> None:
        self._lists: dict[str, list[int | None]] = {}

    def next(self, name: str, level: int, starts: Sequence[int]) -> list[int]:
        """Count a paragraph at this level (0 is the highest), reset deeper levels and return the numbers down to it."""
        numbers = self._lists.setdefault(name, [None] * MAX_LEVELS)
        counted = numbers[level]
        numbers[level] = starts[level] if counted is None else counted + 1
        numbers[level + 1 :] = [None] * (MAX_LEVELS - level - 1)
        for above in range(level):
            if numbers[above] is None:
                numbers[above] = starts[above]
        return [number or 0 for number in numbers[: level + 1]]

    def restart(self, name: str, level: int) -> None:
        self._lists.setdefault(name, [None] * MAX_LEVELS)[level:] = [None] * (MAX_LEVELS - level)


def parse_whole(value: str) -> int:
    """Return a number of at most five digits, else 0."""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0
