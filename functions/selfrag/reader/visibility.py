"""Text that a file holds and nobody sees, or that its author has struck out: an answer must not quote it."""

import re
from dataclasses import dataclass

_HEX = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_NAMED = {"white": "ffffff", "black": "000000"}
WHITE = "ffffff"
UNCERTAIN = "?"  # a background that is a picture, or that other parts of the file decide
MAX_TINY = 2.0  # points; nobody reads smaller text
_ALIKE = 15  # of 255: colours that differ less look the same


@dataclass
class LeftOut:
    """Counts of the passages that were left out of a document."""

    unseen: int = 0
    struck: int = 0

    def warnings(self, key: str) -> list[str]:
        """Return a warning for each kind that was left out."""
        counts = {"text that is not visible": self.unseen, "struck-through text": self.struck}
        return [
            f"{key} has {count} passage{'s' * (count > 1)} of {kind}, which {'were' if count > 1 else 'was'} left out."
            for kind, count in counts.items()
            if count
        ]


def blends(color: str, background: str) -> bool:
    """Return whether text of a colour cannot be told from its background; never where either is not certain."""
    text, behind = _channels(color), _channels(background)
    return bool(text and behind) and all(abs(a - b) <= _ALIKE for a, b in zip(text, behind, strict=True))


def _channels(color: str) -> bytes:
    """Return the red, green and blue of a colour; b"" for one that is not written as hexadecimal digits."""
    name = color.strip().lower()
    if not (match := _HEX.fullmatch(_NAMED.get(name, name))):
        return b""
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    return bytes.fromhex(digits)
