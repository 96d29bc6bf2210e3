"""Hidden and struck-out text, which answers must not quote."""

import re
from dataclasses import dataclass

_HEX = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_NAMED = {"white": "ffffff", "black": "000000"}
WHITE = "ffffff"
UNCERTAIN = "?"  # the background is a picture or set elsewhere in the file
MAX_TINY = 2.0  # points; smaller text is unreadable
_ALIKE = 15  # of 255: indistinguishable colors


@dataclass
class LeftOut:
    """Counts of passages that were left out."""

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
    """Return whether text is indistinguishable from its background; False if either is uncertain."""
    text, behind = _channels(color), _channels(background)
    return bool(text and behind) and all(abs(a - b) <= _ALIKE for a, b in zip(text, behind, strict=True))


def _channels(color: str) -> bytes:
    """Return a color's red, green and blue; b"" unless it is hexadecimal."""
    name = color.strip().lower()
    if not (match := _HEX.fullmatch(_NAMED.get(name, name))):
        return b""
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    return bytes.fromhex(digits)


_MAX_STYLE = 2_000  # characters
_RGB = re.compile(r"rgba?\((\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})[^)]{0,20}\)")
_SIZE = re.compile(r"(\d{0,4}(?:\.\d{1,4})?)(px|pt|r?em|%)?")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 12.0, "rem": 12.0, "%": 0.12}
# Hidden, transparent, off-page, or clipped to nothing.
_UNSEEN = re.compile(
    r"""(?<![\w-])(?: display:none | visibility:(?:hidden|collapse) | opacity:0*\.?0*(?![.\d]) | color:transparent
    | (?:left|top|margin-left|margin-top|text-indent):-(?:[5-9]\d\d|\d{4,})
    | clip:rect\((?:[01](?:px)?[ ,]*){4}\) | clip-path:inset\((?:50|100)%\) )""",
    re.VERBOSE,
)
_FLAT = re.compile(r"(?<![\w-])(?:max-)?(?:width|height):0(?:px)?(?![.\d])")


class InlineStyle:
    """The declarations of a `style` attribute."""

    def __init__(self, style: str) -> None:
        pairs = (each.partition(":") for each in style[:_MAX_STYLE].lower().split(";"))
        self._values = {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}
        self.background = _color(self._values.get("background-color") or self._values.get("background", ""))
        self.is_struck = any("line-through" in value for name, value in self._values.items() if "decoration" in name)

    def is_unseen(self, behind: str) -> bool:
        """Return whether text of this style over `behind` is invisible."""
        values = self._values
        written = ";".join(f"{name}:{value}" for name, value in values.items())
        is_cut = values.get("overflow", "").startswith("hidden") and _FLAT.search(written) is not None
        size = _SIZE.fullmatch(values.get("font-size", "-"))
        tiny = size is not None and float(size[1] or 1) * _POINTS[size[2] or "px"] <= MAX_TINY
        blending = blends(_color(values.get("color", "")), behind)
        return is_cut or tiny or blending or _UNSEEN.search(written) is not None


def _color(value: str) -> str:
    """Normalize a CSS color to hexadecimal digits, if possible."""
    if match := _RGB.match(value):
        return bytes(min(int(part), 255) for part in match.groups()).hex()
    return value.split(" ")[0]


NO_STYLE = InlineStyle("")
