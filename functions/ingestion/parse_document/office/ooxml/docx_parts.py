"""What a Word document says beside its text: its styles, and how its lists are numbered."""

from dataclasses import dataclass, field

from ingestion.parse_document.office.numbering import MAX_LEVELS, Counters, numeral, whole
from ingestion.parse_document.zipped import attribute, local

_TITLE_LEVEL, _LOWEST_HEADING = 1, 9
_MAX_BASES = 20
_BESIDE_TITLE = ("subtitle", "author", "date")  # which build on the title in what pandoc writes
_BULLETS = ("bullet", "none")
_MAX_LABEL = 50


@dataclass
class _Style:
    name: str = ""
    base: str = ""
    list: str = ""
    list_level: int = 0


class Styles:
    """The styles of paragraphs: their names, which are English in every language of Word, and what they build on."""

    def __init__(self) -> None:
        self._styles: dict[str, _Style] = {"": _Style()}
        self._id = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note a style, its name, its base or its list."""
        name, value = local(tag), attribute(attributes, "val")
        if name == "style":
            self._id = attribute(attributes, "styleId")
            self._styles[self._id] = _Style()
        elif name == "name":
            self._styles[self._id].name = value.lower()
        elif name == "basedOn":
            self._styles[self._id].base = value
        elif name == "numId":
            self._styles[self._id].list = value
        elif name == "ilvl":
            self._styles[self._id].list_level = _level(value)

    def end(self, tag: str) -> None:
        """Nothing hangs on an end."""

    def text(self, text: str) -> None:
        """Styles hold no text."""

    def level(self, style: str) -> int:
        """The level of the heading that a style makes; 0 if it makes none."""
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
        """Whether a style is that of captions; pandoc has one for tables and another for pictures."""
        names = self._names(style)
        return "caption" in names and "image caption" not in names

    def lists_contents(self, style: str) -> bool:
        """Whether a style is that of a table of contents."""
        return any(name.startswith(("toc ", "table of figures", "index ")) for name in self._names(style))

    def list_of(self, style: str) -> tuple[str, int]:
        """The list that a style belongs to, and at which level of it; "" if to none."""
        for one in self._bases(style):
            if one.list:
                return one.list, one.list_level
        return "", 0

    def _names(self, style: str) -> list[str]:
        return [one.name for one in self._bases(style)]

    def _bases(self, style: str) -> list[_Style]:
        found = list[_Style]()
        while style in self._styles and style and len(found) < _MAX_BASES:
            found.append(self._styles[style])
            style = found[-1].base
        return found


@dataclass
class _List:
    starts: list[int] = field(default_factory=lambda: [1] * MAX_LEVELS)
    written: list[str] = field(default_factory=lambda: ["decimal"] * MAX_LEVELS)
    texts: list[str] = field(default_factory=lambda: [""] * MAX_LEVELS)


class Numbering:
    """The lists of a document, and how far each of them is counted."""

    def __init__(self) -> None:
        self._kinds: dict[str, _List] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, list[int]] = {}
        self._kind = _List()
        self._list = ""
        self._level = 0
        self._counters = Counters()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note a kind of list with its levels, or a list of a kind."""
        name, value = local(tag), attribute(attributes, "val")
        if name == "abstractNum":
            self._kind = self._kinds[attribute(attributes, "abstractNumId")] = _List()
        elif name in ("lvl", "lvlOverride"):
            self._level = _level(attribute(attributes, "ilvl"))
        elif name == "start":
            self._kind.starts[self._level] = whole(value)
        elif name == "numFmt":
            self._kind.written[self._level] = value
        elif name == "lvlText":
            self._kind.texts[self._level] = value[:_MAX_LABEL]
        elif name == "num":
            self._list, self._kind = attribute(attributes, "numId"), _List()
        elif name == "abstractNumId":
            self._lists[self._list] = value
        elif name == "startOverride":
            self._restarts.setdefault(self._list, []).append(self._level)

    def end(self, tag: str) -> None:
        """Nothing hangs on an end."""

    def text(self, text: str) -> None:
        """Numbers hold no text."""

    def label(self, name: str, level: int) -> str:
        """Count a paragraph of a list; gives its number as it is shown, "" for a bullet."""
        kind = self._kinds.get(self._lists.get(name, ""))
        if not kind or kind.written[level] in _BULLETS:
            return ""
        for again in self._restarts.pop(name, ()):
            self._counters.restart(self._lists[name], again)
        numbers = self._counters.next(self._lists[name], level, kind.starts)
        shown = kind.texts[level]
        for at, number in enumerate(numbers):
            shown = shown.replace(f"%{at + 1}", numeral(number, kind.written[at]))
        return shown.strip()


def _level(value: str) -> int:
    return min(whole(value), MAX_LEVELS - 1)
