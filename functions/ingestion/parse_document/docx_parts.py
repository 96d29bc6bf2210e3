"""The XML of a Word document, read as it streams by: its styles, its properties, and its body."""

from collections.abc import Mapping
from typing import Protocol

from ingestion.parse_document.headings import MAX_HEADING
from ingestion.parse_document.labels import Labels, labels
from selfrag.domain.documents import Heading, has_words

MAX_DEPTH = 200  # elements within elements; Word itself uses a few dozen
MAX_CHARACTERS = 20_000_000
MAX_PROPERTY = 10_000
_TITLE_LEVEL, _LOWEST_HEADING = 1, 9
_MAX_BASES = 20
# Not shown, or shown elsewhere as well: properties, text that was moved away, and text boxes for old versions.
_SKIPPED = frozenset({"pPrChange", "rPrChange", "sectPr", "tblPr", "trPr", "tcPr", "tabs", "moveFrom", "Fallback"})
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_OFF = frozenset({"0", "false", "off"})


class TooMuch(Exception):
    """A document goes beyond what any honest one does; the message goes on after its name and says what to do."""


class Reader(Protocol):
    """What is told of a part as it streams by."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins; names are preceded by their namespace and a space."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text inside an element."""


class Styles:
    """The styles of paragraphs: their names, which are English in every language of Word, and what they build on."""

    def __init__(self) -> None:
        self._id = ""
        self._names: dict[str, str] = {}
        self._bases: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note a style, its name or its base."""
        name = _local(tag)
        if name == "style":
            self._id = _attribute(attributes, "styleId")
        elif name == "name":
            self._names[self._id] = _attribute(attributes, "val").lower()
        elif name == "basedOn":
            self._bases[self._id] = _attribute(attributes, "val")

    def end(self, tag: str) -> None:
        """Nothing hangs on an end."""

    def text(self, text: str) -> None:
        """Styles hold no text."""

    def levels(self) -> dict[str, int]:
        """The level of each style that makes a heading."""
        found = {style: self._level(style) for style in self._names}
        return {style: level for style, level in found.items() if level}

    def _level(self, style: str) -> int:
        for _ in range(_MAX_BASES):
            name = self._names.get(style, "")
            kind, _, number = name.partition(" ")
            if name == "title":
                return _TITLE_LEVEL
            if kind == "heading" and number in {str(level) for level in range(1, _LOWEST_HEADING + 1)}:
                return _TITLE_LEVEL + int(number)
            style = self._bases.get(style, "")
        return 0


class Properties:
    """What the document says of itself: keywords, and when it was saved."""

    def __init__(self) -> None:
        self._name = ""
        self._said = dict.fromkeys(("keywords", "modified", "created"), "")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A property begins."""
        self._name = _local(tag)

    def end(self, tag: str) -> None:
        """A property ends."""
        self._name = ""

    def text(self, text: str) -> None:
        """Take in a property's value."""
        # A few tags and a day are short; putting many pieces together would take time with the square of their length.
        if self._name in self._said and len(self._said[self._name]) < MAX_PROPERTY:
            self._said[self._name] += text

    def labels(self) -> Labels:
        """The labels that the properties give."""
        return labels([self._said["keywords"]], self._said["modified"] or self._said["created"])


class Body:
    """The lines of the text: one for a paragraph, and one for a row of a table, with tabs between its cells."""

    def __init__(self, levels: Mapping[str, int]) -> None:
        self.lines: list[str] = []
        self.headings: list[Heading] = []
        self._levels = levels
        self._length = 0
        self._depth = 0
        self._skipped_from = 0  # the depth of the element that is being skipped; 0 if none is
        self._in_text = self._hidden = False
        self._level = 0
        self._paragraphs: list[list[str]] = []  # a paragraph holds others where it anchors a text box
        self._rows: list[list[str]] = []
        self._cells: list[list[str]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in what begins here."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooMuch(f"has elements nested more than {MAX_DEPTH} deep; save it as .docx again")
        name = _local(tag)
        if self._skipped_from or name in _SKIPPED:
            self._skipped_from = self._skipped_from or self._depth
        elif name in ("p", "tr", "tc"):
            {"p": self._paragraphs, "tr": self._rows, "tc": self._cells}[name].append([])
            self._level = 0
        elif name == "pStyle":
            self._level = self._levels.get(_attribute(attributes, "val"), 0)
        elif name == "r":
            self._hidden = False
        elif name == "vanish":
            self._hidden = _attribute(attributes, "val") not in _OFF
        elif name == "t":
            self._in_text = True
        elif name in _MARKS:
            self._add(_MARKS[name])

    def end(self, tag: str) -> None:
        """Take in what ends here."""
        name = _local(tag)
        self._depth -= 1
        if self._skipped_from:
            if self._depth < self._skipped_from:
                self._skipped_from = 0
        elif name == "t":
            self._in_text = False
        elif name == "p":
            self._end_paragraph()
        elif name == "tc":
            cell = " ".join(" ".join(self._cells.pop()).split())
            self._rows[-1].append(cell) if self._rows else self._write(cell)
        elif name == "tr":
            self._write("\t".join(self._rows.pop()))

    def text(self, text: str) -> None:
        """Take in text, if it stands where text is shown."""
        if self._in_text and not self._skipped_from:
            self._add(text)

    def _add(self, text: str) -> None:
        if self._paragraphs and not self._hidden:
            self._paragraphs[-1].append(text)

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraphs.pop()).strip()
        if self._level and not self._cells and len(text) <= MAX_HEADING and has_words(text):
            heading = Heading(self._length, self._length + len(text), self._level, " ".join(text.split()))
            self.headings.append(heading)
        self._write(text)
        self._level = 0

    def _write(self, line: str) -> None:
        if self._cells:
            self._cells[-1].append(line)
        elif line.strip():
            self.lines.append(line)
            self._length += len(line) + 1
            if self._length > MAX_CHARACTERS:
                raise TooMuch(
                    f"has more than {MAX_CHARACTERS // 1_000_000} million characters; split it into several files"
                )


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _attribute(attributes: Mapping[str, str], name: str) -> str:
    return next((value for key, value in attributes.items() if _local(key) == name), "")
