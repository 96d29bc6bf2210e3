"""Excel workbooks: displayed cell values; formulas and macros are never run."""

import re
from collections.abc import Iterable
from itertools import chain

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.archive import LimitExceeded, SkippingReader, XmlArchive, open_archive
from selfrag.reader.data.workbooks.formats import BUILT_IN, format_number, shown_text
from selfrag.reader.data.workbooks.sheets import MAX_COLUMN, MAX_ROW, Cells, MergedCells, WorkbookSheet, write_sheets
from selfrag.reader.kinds import EXCEL
from selfrag.reader.office.charts import charts
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import relations

_WORKBOOK, _PROPERTIES = "xl/workbook.xml", "docProps/core.xml"
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
MAX_STRINGS = 1_000_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
ON = ("1", "true", "on")


def read_xlsx(key: str, content: bytes) -> Document:
    """Each sheet is a part, each row of a table a line; hidden ones are left out with a warning. Raises BadDocument."""
    writer = Writer(key)
    with open_archive(key, content, EXCEL) as archive:
        write_sheets(writer, _sheets(archive, writer))
        metadata = properties(archive, _PROPERTIES)
    return writer.document(metadata.title, metadata.labels())


def _sheets(archive: XmlArchive, writer: Writer) -> list[WorkbookSheet]:
    related, since_1904 = relations(archive, _WORKBOOK), False
    parts = {relation.kind: relation.part for relation in related.values()}
    strings, codes = Strings(), list[str]()
    if "sharedStrings" in parts:
        archive.parse(parts["sharedStrings"], strings)
    try:
        codes = _codes(archive.elements(parts.get("styles", "")))
    except LimitExceeded:
        raise
    except Exception:  # what expat and zlib raise; the numbers are worth reading without their formats
        writer.warnings.append(f"{writer.key} has formats that cannot be read, so its dates are numbers.")
    sheets, cells = list[WorkbookSheet](), Cells()
    for element, attributes in archive.elements(_WORKBOOK):
        if element == "workbookPr":
            since_1904 = attributes.get("date1904") in ON
        relation = related.get(attributes.get("r:id", "")) if element == "sheet" else None
        if relation and relation.kind in ("worksheet", "chartsheet"):
            hidden = attributes.get("state") in ("hidden", "veryHidden")
            sheets.append(WorkbookSheet(attributes.get("name", ""), hidden))
            if not hidden:
                archive.parse(relation.part, SheetReader(sheets[-1], cells, strings.texts, codes, since_1904))
                sheets[-1].charts += chain(*charts(archive, relation.part, writer).values())
    return sheets


class _TextReader(SkippingReader):
    """Collects the text of cells and shared strings in `_parts`, without phonetic readings."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._in_text = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._in_text |= name in ("v", "t")
        if name == "rPh":
            self.skip()

    def finish(self, name: str) -> None:
        self._in_text &= name not in ("v", "t")

    def text(self, text: str) -> None:
        if self._in_text:
            self._parts.append(text)


class SheetReader(_TextReader):
    """Collects the displayed cell values of a sheet."""

    def __init__(
        self, sheet: WorkbookSheet, cells: Cells, strings: list[str], codes: list[str], since_1904: bool
    ) -> None:
        super().__init__()
        self._sheet, self._cells = sheet, cells
        self._strings, self._codes, self._since_1904 = strings, codes, since_1904
        self._row = self._column = 0
        self._style = self._kind = ""
        self._formula = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        super().begin(name, attributes)
        if name == "c":
            place = _place(attributes.get("r", ""))
            self._column = place[1] if place else self._column + 1
            if self._column >= MAX_COLUMN:
                raise LimitExceeded(f"has a row of more than {MAX_COLUMN} columns; save it again")
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._parts.clear()
            self._formula = False
        elif name == "f":
            self._formula = True
        elif name == "row":
            row = attributes.get("r", "")
            self._row = int(row) if row.isascii() and row.isdecimal() else self._row + 1
            self._column = -1
            if self._row > MAX_ROW:
                raise LimitExceeded(f"has a row {self._row}, and no sheet has more than {MAX_ROW}; save it again")
            if attributes.get("hidden") in ON:
                self._sheet.hidden_rows.add(self._row)
        elif name == "col" and attributes.get("hidden") in ON:
            self._sheet.hide_columns(int(attributes["min"]) - 1, int(attributes["max"]) - 1)
        elif name == "mergeCell":
            first, _, last = attributes.get("ref", "").partition(":")
            begin, end = _place(first), _place(last)
            if begin and end:
                self._sheet.merged.append(MergedCells(begin[0], begin[1], min(end[0], MAX_ROW), end[1]))

    def finish(self, name: str) -> None:
        super().finish(name)
        if name == "c":
            value = "".join(self._parts)
            self._sheet.without_value += self._formula and not value and self._kind != "str"
            shown_value = self._format(value) if value else ""
            self._sheet.unseen += bool(value.strip()) and not shown_value
            self._cells.put(self._sheet, self._row, self._column, shown_value)

    def _format(self, value: str) -> str:
        style = int(self._style) if self._style.isascii() and self._style.isdecimal() else -1
        code = self._codes[style] if 0 <= style < len(self._codes) else ""
        if self._kind == "s":
            number = int(value)
            return shown_text(self._strings[number], code) if 0 <= number < len(self._strings) else ""
        if self._kind == "b":
            return "TRUE" if value.strip() in ON else "FALSE"
        if self._kind == "d":
            return value.removesuffix("T00:00:00")
        if self._kind != "n":
            return shown_text(unescape(value), code)
        return format_number(float(value), code, self._since_1904, value.strip())


def _place(reference: str) -> tuple[int, int] | None:
    """Return the row, counted from 1, and the column, counted from 0."""
    cell = _CELL.fullmatch(reference)
    if not cell:
        return None
    column = 0
    for letter in cell[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(cell[2]), column - 1


class Strings(_TextReader):
    """The shared strings that cells refer to by index."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def finish(self, name: str) -> None:
        super().finish(name)
        if name == "si":
            if len(self.texts) >= MAX_STRINGS:
                raise LimitExceeded(f"has more than {MAX_STRINGS:,} texts; split it into several files")
            self.texts.append(unescape("".join(self._parts)))
            self._parts.clear()


def _codes(elements: Iterable[tuple[str, dict[str, str]]]) -> list[str]:
    """Return the number format code of each style."""
    own, codes, of_cells = dict[str, str](), list[str](), False
    for name, attributes in elements:
        number = attributes.get("numFmtId", "")
        if name == "numFmt":
            own[number] = attributes.get("formatCode", "")
        elif name in ("cellXfs", "cellStyleXfs"):
            of_cells = name == "cellXfs"
        elif name == "xf" and of_cells:
            built_in = BUILT_IN.get(int(number), "") if number.isascii() and number.isdecimal() else ""
            codes.append(own.get(number) or built_in)
    return codes


def unescape(text: str) -> str:
    """Replace Office's numeric escapes of control characters by spaces."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)) if 0x20 <= int(code[1], 16) < 0xD800 else " ", text)
