"""The style that an element of a web page has of its own: whether people see it."""

import re

from selfrag.reader.visibility import MAX_TINY, blends

_MAX_STYLE = 2_000  # characters
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*([\d.]{1,6})%?\s*)?\)")
_LENGTH = re.compile(r"(-?[\d.]{1,9})(px|pt|r?em|%|vw|vh|in|cm)?")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 12.0, "rem": 12.0, "%": 0.12}
_FAR = -500  # of any unit; what stands so far to the left or above is outside of the page
_ZERO = re.compile(r"0[a-z%]*|0?\.0[\d]*")
_NO_CLIP = re.compile(r"rect\((?:[01](?:px)?[\s,]*){4}\)|inset\((?:50|100)%\)")


class InlineStyle:
    """The declarations of a `style` attribute."""

    def __init__(self, style: str) -> None:
        pairs = (each.partition(":") for each in style[:_MAX_STYLE].lower().split(";"))
        values = {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}
        self._values = values
        self.background = _color(values.get("background-color") or values.get("background", ""))

    @property
    def is_struck(self) -> bool:
        """Return whether its text is struck through."""
        return any("line-through" in self._values.get(f"text-decoration{end}", "") for end in ("", "-line"))

    def is_unseen(self, behind: str) -> bool:
        """Return whether nobody sees its text, before a colour."""
        values = self._values
        color = values.get("color", "")
        return bool(values) and (
            values.get("display") == "none"
            or values.get("visibility") in ("hidden", "collapse")
            or _ZERO.fullmatch(values.get("opacity", "")) is not None
            or _is_tiny(values.get("font-size", ""))
            or color == "transparent"
            or blends(_color(color), behind)
            or self._is_outside()
        )

    def _is_outside(self) -> bool:
        """Return whether it stands outside of the page, or is cut to nothing."""
        values = self._values
        moved = ("left", "top", "margin-left", "margin-top", "text-indent")
        if any((match := _LENGTH.match(values.get(name, ""))) and _number(match[1]) <= _FAR for name in moved):
            return True
        sizes = (values.get("width", ""), values.get("height", ""), values.get("max-height", ""))
        is_cut = values.get("overflow", "").startswith("hidden") and any(map(_ZERO.fullmatch, sizes))
        return is_cut or any(_NO_CLIP.match(values.get(name, "")) for name in ("clip", "clip-path"))


def _is_tiny(size: str) -> bool:
    match = _LENGTH.fullmatch(size)
    return match is not None and _number(match[1]) * _POINTS.get(match[2] or "px", 12.0) <= MAX_TINY


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0


def _color(value: str) -> str:
    """Return a colour of CSS as hexadecimal digits, or as it is written."""
    if match := _RGB.match(value):
        return bytes(min(int(part), 255) for part in match.group(1, 2, 3)).hex()
    return value.split(" ")[0]


NO_STYLE = InlineStyle("")
