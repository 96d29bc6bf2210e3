"""The XML of an Excel workbook, read as it streams by: which sheets it has, its texts and its formats."""

import re

from selfrag.reader.data.workbooks.formats import BUILT_IN
from selfrag.reader.office.relations import relation_id
from selfrag.reader.zipped import TooMuch, attribute, local

MAX_STRINGS = 1_000_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
ON = ("1", "true", "on")


class _Silent:
    """A listener that ignores everything by default."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text inside an element."""


class Workbook(_Silent):
    """The sheets in order: name, the id that refers to the part, and whether it is hidden."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str, bool]] = []
        self.since_1904 = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note a sheet, or from when days are counted."""
        name = local(tag)
        if name == "sheet":
            hidden = attribute(attributes, "state") in ("hidden", "veryHidden")
            self.sheets.append((attribute(attributes, "name"), relation_id(attributes), hidden))
        elif name == "workbookPr":
            self.since_1904 = attribute(attributes, "date1904") in ON


class Strings:
    """The texts that cells refer to by their number; what says how a Japanese one is pronounced is left out."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._parts: list[str] = []
        self._in_text = self._aside = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A text, a run of it or its pronunciation begins."""
        name = local(tag)
        if name == "rPh":
            self._aside = True
        elif name == "t":
            self._in_text = not self._aside

    def end(self, tag: str) -> None:
        """End what began."""
        name = local(tag)
        if name == "t":
            self._in_text = False
        elif name == "rPh":
            self._aside = False
        elif name == "si":
            if len(self.found) >= MAX_STRINGS:
                raise TooMuch(f"has more than {MAX_STRINGS:,} texts; split it into several files")
            self.found.append(unescaped("".join(self._parts)))
            self._parts.clear()

    def text(self, text: str) -> None:
        """Take in a text."""
        if self._in_text:
            self._parts.append(text)


class Formats(_Silent):
    """The number formats of cells, by the number of their style."""

    def __init__(self) -> None:
        self.codes: list[str] = []
        self._own: dict[str, str] = {}
        self._of_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note a format, or the format of a style."""
        name = local(tag)
        if name == "numFmt":
            self._own[attribute(attributes, "numFmtId")] = attribute(attributes, "formatCode")
        elif name in ("cellXfs", "cellStyleXfs"):
            self._of_cells = name == "cellXfs"
        elif name == "xf" and self._of_cells:
            number = attribute(attributes, "numFmtId")
            built_in = BUILT_IN.get(int(number), "") if number.isascii() and number.isdecimal() else ""
            self.codes.append(self._own.get(number) or built_in)


def unescaped(text: str) -> str:
    """Return a text in which Office has written control characters by their number, as spaces here."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)) if 0x20 <= int(code[1], 16) < 0xD800 else " ", text)
