"""Styles and list numbering of Word documents."""

from dataclasses import dataclass, field

from selfrag.reader.archive import PartReader, switched_on
from selfrag.reader.office.blocks import RunLook, Script
from selfrag.reader.office.numbering import MAX_LEVELS, ZERO_PADDED, Counters, numeral, parse_whole
from selfrag.reader.visibility import UNCERTAIN

_TITLE_LEVEL, _LOWEST_HEADING = 1, 9
_MAX_BASES = 20
_BESIDE_TITLE = ("subtitle", "author", "date")  # styles that pandoc bases on the title style
RUN_PROPERTIES = frozenset({"vanish", "strike", "dstrike", "vertAlign", "color", "highlight", "sz", "rFonts"})
_SCRIPTS: dict[str, Script] = {"superscript": "superscript", "subscript": "subscript"}
_HIGHLIGHTS = {"none": "", "white": "ffffff", "black": "000000"}
_PLAIN_SHADINGS = ("", "clear", "nil")


def take_property(look: RunLook, name: str, attributes: dict[str, str]) -> None:
    """Apply a run property, if it is one of RUN_PROPERTIES or a shading."""
    value = attributes.get("val", "")
    if name == "vanish":
        look.hidden = switched_on(attributes)
    elif name in ("strike", "dstrike"):
        look.struck = switched_on(attributes)
    elif name == "vertAlign":
        look.script = _SCRIPTS.get(value, "baseline")
    elif name == "color":
        look.color = value
    elif name == "highlight":
        look.fill = _HIGHLIGHTS.get(value, UNCERTAIN)
    elif name == "shd":
        look.fill = shading(attributes)
    elif name == "sz":
        look.size = parse_whole(value) / 2
    elif name == "rFonts":
        look.font = attributes.get("ascii") or attributes.get("hAnsi") or look.font


def shading(attributes: dict[str, str]) -> str:
    """Return the background color of a text, or ""."""
    fill = attributes.get("fill", "")
    if attributes.get("val", "") not in _PLAIN_SHADINGS or (not fill and attributes.get("themeFill", "")):
        return UNCERTAIN
    return "" if fill == "auto" else fill


@dataclass
class _DocxStyle:
    name: str = ""
    base: str = ""
    list: str = ""
    list_level: int = 0
    first_row: bool = False
    shaded: bool = False
    look: RunLook = field(default_factory=RunLook)


class Styles(PartReader):
    """Styles of paragraphs and tables with their base styles; built-in names are English in every Word."""

    def __init__(self) -> None:
        self._styles: dict[str, _DocxStyle] = {"": _DocxStyle()}
        self._id = self._default = ""
        self._looks: dict[tuple[str, str], RunLook] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._id = attributes.get("styleId", "")
            self._styles[self._id] = _DocxStyle()
            if attributes.get("type") == "paragraph" and attributes.get("default", "") in ("1", "true"):
                self._default = self._id
        elif name == "name":
            self._styles[self._id].name = value.lower()
        elif name == "basedOn":
            self._styles[self._id].base = value
        elif name == "numId":
            self._styles[self._id].list = value
        elif name == "ilvl":
            self._styles[self._id].list_level = list_level(value)
        elif name == "tblStylePr" and attributes.get("type") == "firstRow":
            self._styles[self._id].first_row = True
        else:
            self._styles[self._id].shaded |= name == "shd" and bool(shading(attributes))
            take_property(self._styles[self._id].look, name, attributes)

    def run_look(self, paragraph: str, run: str) -> RunLook:
        """Return the formatting of a text by its paragraph and run styles."""
        if (paragraph, run) not in self._looks:
            look = RunLook()
            for base in (*self._bases(run), *self._bases(paragraph or self._default), self._styles[""]):
                look = look.inherit(base.look)
            self._looks[paragraph, run] = look
        return self._looks[paragraph, run]

    def is_shaded(self, table: str) -> bool:
        """Return whether a table's style colours any of its cells."""
        return any(base.shaded for base in self._bases(table))

    def level(self, style: str) -> int:
        """Return the heading level of a style, or 0."""
        names = self._names(style)
        if names and names[0] in _BESIDE_TITLE:
            return 0
        for name in names:
            kind, _, number = name.partition(" ")
            if name == "title":
                return _TITLE_LEVEL
            if kind == "heading" and number in {str(level) for level in range(1, _LOWEST_HEADING + 1)}:
                return _TITLE_LEVEL + int(number)
        return 0

    def is_caption(self, style: str) -> bool:
        """Return whether a style is that of captions; pandoc has one for tables and another for pictures."""
        names = self._names(style)
        return "caption" in names and "image caption" not in names

    def lists_contents(self, style: str) -> bool:
        """Return whether a style is that of a table of contents."""
        return any(name.startswith(("toc ", "table of figures", "index ")) for name in self._names(style))

    def list_of(self, style: str) -> tuple[str, int]:
        """Return the list and level that a style belongs to, or ""."""
        for base in self._bases(style):
            if base.list:
                return base.list, base.list_level
        return "", 0

    def sets_off_first_row(self, style: str) -> bool:
        """Return whether a table style formats the first row differently."""
        return any(base.first_row for base in self._bases(style))

    def _names(self, style: str) -> list[str]:
        return [base.name for base in self._bases(style)]

    def _bases(self, style: str) -> list[_DocxStyle]:
        bases = list[_DocxStyle]()
        while style in self._styles and style and len(bases) < _MAX_BASES:
            bases.append(self._styles[style])
            style = bases[-1].base
        return bases


def list_level(value: str) -> int:
    """Return the level of a list that an attribute names; 0 is the highest."""
    return min(parse_whole(value), MAX_LEVELS - 1)


_BULLETS = ("bullet", "none")
_MAX_LABEL = 50


@dataclass
class _DocxList:
    starts: list[int] = field(default_factory=lambda: [1] * MAX_LEVELS)
    written: list[str] = field(default_factory=lambda: ["decimal"] * MAX_LEVELS)
    texts: list[str] = field(default_factory=lambda: [""] * MAX_LEVELS)
    legal: list[bool] = field(default_factory=lambda: [False] * MAX_LEVELS)  # show all numbers of a label as digits


class Numbering(PartReader):
    """Lists of a document with their current counts."""

    def __init__(self) -> None:
        self._kinds: dict[str, _DocxList] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, list[int]] = {}
        self._kind = _DocxList()
        self._list = ""
        self._level = 0
        self._counters = Counters()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "abstractNum":
            self._kind = self._kinds[attributes.get("abstractNumId", "")] = _DocxList()
        elif name in ("lvl", "lvlOverride"):
            self._level = list_level(attributes.get("ilvl", ""))
        elif name == "start":
            self._kind.starts[self._level] = parse_whole(value)
        elif name == "numFmt":
            self._kind.written[self._level] = value
        elif name == "lvlText":
            self._kind.texts[self._level] = value[:_MAX_LABEL]
        elif name == "isLgl":
            self._kind.legal[self._level] = switched_on(attributes)
        elif name == "num":
            self._list, self._kind = attributes.get("numId", ""), _DocxList()
        elif name == "abstractNumId":
            self._lists[self._list] = value
        elif name == "startOverride":
            self._restarts.setdefault(self._list, []).append(self._level)

    def label(self, name: str, level: int) -> str:
        """Count a list paragraph and return its number as shown, "" for a bullet."""
        kind = self._kinds.get(self._lists.get(name, ""))
        if not kind or kind.written[level] in _BULLETS:
            return ""
        for again in self._restarts.pop(name, ()):
            self._counters.restart(self._lists[name], again)
        numbers = self._counters.next(self._lists[name], level, kind.starts)
        shown = kind.texts[level]
        for at, number in enumerate(numbers):
            written = "" if kind.legal[level] and kind.written[at] != ZERO_PADDED else kind.written[at]
            shown = shown.replace(f"%{at + 1}", numeral(number, written))
        return shown.strip()
