"""OpenDocument styles: headings, captions, visibility and list numbering."""

import re
from dataclasses import dataclass, field
from typing import cast

from selfrag.reader.archive import PartReader
from selfrag.reader.office.blocks import RunLook, Script
from selfrag.reader.office.numbering import MAX_LEVELS, numeral, parse_whole
from selfrag.reader.visibility import UNCERTAIN, WHITE

_MAX_BASES = 20
_MAX_AFFIX = 20
# LibreOffice's built-in style names are English in every language; picture captions use others.
_TITLE, _CAPTIONS = "Title", frozenset({"Table", "TableCaption"})
_BOLD = "Table_20_Heading"
_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")


@dataclass
class _OdfStyle:
    base: str = ""
    hidden: bool = False
    bold: bool = False
    look: RunLook = field(default_factory=RunLook)


@dataclass
class ListLevel:
    """Numbering of a list level; without a format it has none."""

    form: str = ""
    before: str = ""
    after: str = ""
    start: int = 1
    shown: int = 1


def _unnumbered() -> list[ListLevel]:
    return [ListLevel() for _ in range(MAX_LEVELS)]


class OdfStyles(PartReader):
    """Collects styles from any part; some are in the content itself."""

    def __init__(self) -> None:
        self._styles: dict[str, _OdfStyle] = {}
        self._lists: dict[str, list[ListLevel]] = {}
        self._style, self._list = _OdfStyle(), _unnumbered()
        self._looks: dict[tuple[str, str], RunLook] = {}
        self.page = WHITE  # the colour behind the text

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            key = f"{attributes.get('family', '')} {attributes.get('name', '')}"
            self._style = self._styles[key] = _OdfStyle(attributes.get("parent-style-name", ""))
        elif name == "default-style":
            self._style = self._styles[f"{attributes.get('family', '')} "] = _OdfStyle()
        elif name in ("list-style", "outline-style"):
            self._list = self._lists[attributes.get("name", "") if name == "list-style" else ""] = _unnumbered()
        elif name in ("list-level-style-number", "outline-level-style"):
            self._level(attributes)
        elif name == "drawing-page-properties":
            self._style.hidden = attributes.get("visibility") == "hidden"
        elif name == "text-properties":
            self._style.bold = attributes.get("font-weight") == "bold"
            _take_properties(self._style.look, attributes)
        elif name in ("paragraph-properties", "table-cell-properties", "table-properties"):
            fill = attributes.get("background-color", "")
            self._style.look.fill = self._style.look.fill or ("" if fill == "transparent" else fill)
        elif name == "page-layout-properties" and attributes.get("background-color", "") not in ("", "transparent"):
            self.page = UNCERTAIN

    def is_title(self, paragraph: str) -> bool:
        return _TITLE in self._names("paragraph", paragraph)

    def is_caption(self, paragraph: str) -> bool:
        return any(name in _CAPTIONS for name in self._names("paragraph", paragraph))

    def is_bold(self, family: str, style: str) -> bool:
        """Return whether a paragraph's or a span's style is bold, or that of a table's heading."""
        names = self._names(family, style)
        return _BOLD in names or any(self._find(family, name).bold for name in names)

    def hides_slide(self, style: str) -> bool:
        return self._find("drawing-page", style).hidden

    def look(self, family: str, style: str) -> RunLook:
        """Return the formatting of a style with its parents."""
        if (family, style) not in self._looks:
            look = RunLook()
            for name in (*self._names(family, style), ""):
                look = look.inherit(self._find(family, name).look)
            self._looks[family, style] = look
        return self._looks[family, style]

    def starts(self, name: str) -> list[int]:
        """Return the start number of each level of a list."""
        return [level.start for level in self._lists.get(name, _unnumbered())]

    def label(self, name: str, numbers: list[int]) -> str:
        """Return a paragraph's number as shown, or "". The list "" is the outline of headings."""
        levels = self._lists.get(name, _unnumbered())
        level = levels[len(numbers) - 1]
        if not level.form:
            return ""
        first = max(0, len(numbers) - level.shown)
        shown = (
            numeral(number, levels[at].form) for at, number in enumerate(numbers[first:], first) if levels[at].form
        )
        return f"{level.before}{'.'.join(shown)}{level.after}".strip()

    def _level(self, attributes: dict[str, str]) -> None:
        at = min(max(parse_whole(attributes.get("level", "")), 1), MAX_LEVELS) - 1
        self._list[at] = ListLevel(
            attributes.get("num-format", ""),
            attributes.get("num-prefix", "")[:_MAX_AFFIX],
            attributes.get("num-suffix", "")[:_MAX_AFFIX],
            parse_whole(attributes.get("start-value", "") or "1"),
            parse_whole(attributes.get("display-levels", "") or "1"),
        )

    def _find(self, family: str, style: str) -> _OdfStyle:
        return self._styles.get(f"{family} {style}") or _OdfStyle()

    def _names(self, family: str, style: str) -> list[str]:
        names = list[str]()
        while style and len(names) < _MAX_BASES:
            names.append(style)
            style = self._find(family, style).base
        return names


def _take_properties(look: RunLook, attributes: dict[str, str]) -> None:
    """Take in the properties of a text."""
    if "display" in attributes:
        look.hidden = attributes["display"] == "none"
    for name in ("text-line-through-style", "text-line-through-type"):
        if name in attributes:
            look.struck = attributes[name] != "none"
    if position := attributes.get("text-position", "").split():
        raised = "superscript" if position[0] == "super" or position[0].strip("-0%") else "baseline"
        look.script = "subscript" if position[0] == "sub" or position[0].startswith("-") else cast(Script, raised)
    look.color = attributes.get("color", look.color)
    if fill := attributes.get("background-color"):
        look.fill = "" if fill == "transparent" else fill
    if size := _POINTS.fullmatch(attributes.get("font-size", "")):
        look.size = float(size[1])
