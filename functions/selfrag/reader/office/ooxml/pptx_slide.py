"""The XML of a slide, of its notes, or of a drawing on it, read as it streams by."""

from collections.abc import Callable

from selfrag.reader.office.blocks import Block
from selfrag.reader.office.numbering import whole
from selfrag.reader.office.skipping import Skipping
from selfrag.reader.office.story import Story
from selfrag.reader.zipped import attribute, local

_TITLES = {"ctrTitle": 1, "title": 2}
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum"})
_ON_NOTES = frozenset({"title", "ctrTitle", "sldImg"})  # what a page of notes repeats of its slide
_SKIPPED = frozenset({"Fallback", "fld"})  # a field is a number of slides or a date
_SHAPES = frozenset({"sp", "pic", "graphicFrame"})
_OFF, _ON = ("0", "false"), ("1", "true")


class SlideReader:
    """Tells a story of each shape: the title's stands first, the others in the order that screen readers follow."""

    def __init__(self, notes: bool = False) -> None:
        self.hidden = False
        self._notes = notes
        self._first, self._rest = Story(), Story()
        self._story = self._rest
        self._level = 0
        self._skipping = Skipping()
        self._shape_at = 0  # the depth of the shape that is open
        self._in_text = self._bold = False

    def blocks(self) -> list[Block]:
        """Return what the slide says."""
        return self._first.blocks + self._rest.blocks

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in what begins here."""
        self._skipping.enter()
        name = local(tag)
        if self._skipping.on or name in _SKIPPED or (name == "tc" and _on(attributes, "hMerge")):
            self._skipping.skip()
        elif name == "sld":
            self.hidden = attribute(attributes, "show") in _OFF
        elif name in _SHAPES:
            self._shape_at = self._skipping.depth
        elif name == "ph":
            self._placed(attribute(attributes, "type"))
        elif name == "t":
            self._in_text = True
        elif name == "br":
            self._story.add("\n")
        elif name == "rPr":
            self._bold = _on(attributes, "b")
        elif name == "r":
            self._bold = False
        else:
            self._begin(name, attributes)

    def end(self, tag: str) -> None:
        """Take in what ends here."""
        name = local(tag)
        if self._skipping.leave():
            return
        if name == "t":
            self._in_text = False
        elif name == "p":
            self._story.end_paragraph(self._level)
        elif name in _SHAPES:
            self._story, self._level = self._rest, 0
        elif name == "tc":
            self._story.end_cell()
        elif name == "tr":
            self._story.end_row()
        elif name == "tbl":
            self._story.end_table()

    def text(self, text: str) -> None:
        """Take in text, if it stands where text is shown."""
        if self._in_text and not self._skipping.on:
            self._story.add(text, self._bold)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        story = self._story
        begins: dict[str, Callable[[], None]] = {
            "p": story.begin_paragraph,
            "tbl": lambda: story.begin_table(False),
            "tblPr": lambda: story.look(_on(attributes, "firstRow")),
            "tr": story.begin_row,
            "tc": lambda: story.begin_cell(whole(attribute(attributes, "gridSpan")), _on(attributes, "vMerge")),
        }
        if name in begins:
            begins[name]()

    def _placed(self, kind: str) -> None:
        """The shape that is open stands in this kind of place."""
        if kind in _FURNITURE or (self._notes and kind in _ON_NOTES):
            self._skipping.skip(self._shape_at)
        elif kind in _TITLES:
            self._story, self._level = self._first, _TITLES[kind]


def _on(attributes: dict[str, str], name: str) -> bool:
    return attribute(attributes, name) in _ON
