"""The style that an element of a web page has of its own: whether people see it."""

import re

from selfrag.reader.visibility import MAX_TINY, blends

_MAX_STYLE = 2_000  # characters
_RGB = re.compile(r"rgba?\((\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})[^)]{0,20}\)")
_SIZE = re.compile(r"(\d{0,4}(?:\.\d{1,4})?)(px|pt|r?em|%)?")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 12.0, "rem": 12.0, "%": 0.12}
# Hidden, transparent, outside of the page, or cut to nothing.
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
        """Return whether nobody sees its text, before a colour."""
        values = self._values
        written = ";".join(f"{name}:{value}" for name, value in values.items())
        is_cut = values.get("overflow", "").startswith("hidden") and _FLAT.search(written) is not None
        size = _SIZE.fullmatch(values.get("font-size", "-"))
        tiny = size is not None and float(size[1] or 1) * _POINTS[size[2] or "px"] <= MAX_TINY
        blending = blends(_color(values.get("color", "")), behind)
        return is_cut or tiny or blending or _UNSEEN.search(written) is not None


def _color(value: str) -> str:
    """Return a colour of CSS as hexadecimal digits, or as it is written."""
    if match := _RGB.match(value):
        return bytes(min(int(part), 255) for part in match.groups()).hex()
    return value.split(" ")[0]


NO_STYLE = InlineStyle("")
