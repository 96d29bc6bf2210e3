"""The parts of a Word document beside its text: its styles, and the numbering of its lists."""

from dataclasses import dataclass

from typing_extensions import override

from selfrag.reader.archive import PartReader, attribute, local
from selfrag.reader.office.numbering import MAX_LEVELS, whole

_TITLE_LEVEL, _LOWEST_HEADING = 1, 9
_MAX_BASES = 20
_BESIDE_TITLE = ("subtitle", "author", "date")  # which build on the title in what pandoc writes
_BULLETS = ("bullet", "none")
_MAX_LABEL = 50


@dataclass
class _DocxStyle:
    name: str = ""
    base: str = ""
    list: str = ""
    list_level: int = 0
    first_row: bool = False


class Styles(PartReader):
    """The styles of paragraphs and tables, their names, which are English in every Word, and the styles below them."""

    def __init__(self) -> None:
        self._styles: dict[str, _DocxStyle] = {"": _DocxStyle()}
        self._id = ""

    @override
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name, value = local(tag), attribute(attributes, "val")
        if name == "style":
            self._id = attribute(attributes, "styleId")
            self._styles[self._id] = _DocxStyle()
        elif name == "name":
            self._styles[self._id].name = value.lower()
        elif name == "basedOn":
            self._styles[self._id].base = value
        elif name == "numId":
            self._styles[self._id].list = value
        elif name == "ilvl":
            self._styles[self._id].list_level = list_level(value)
        elif name == "tblStylePr" and attribute(attributes, "type") == "firstRow":
            self._styles[self._id].first_row = True

    def level(self, style: str) -> int:
        """Return the level of the heading that a style makes; 0 if it makes none."""
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
        """Return the list that a style belongs to, and at which level of it; "" if to none."""
        for base in self._bases(style):
            if base.list:
                return base.list, base.list_level
        return "", 0

    def sets_off_first_row(self, style: str) -> bool:
        """Return whether a table's style gives the first row a look of its own."""
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
    return min(whole(value), MAX_LEVELS - 1)
