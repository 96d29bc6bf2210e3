"""The sheets of an OpenDocument spreadsheet."""

import re

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.archive import SkippingReader, open_archive
from selfrag.reader.data.workbooks.formats import LONG, format_plain
from selfrag.reader.data.workbooks.sheets import MAX_COLUMN, MAX_ROW, Cells, MergedCells, WorkbookSheet, write_sheets
from selfrag.reader.kinds import ODS
from selfrag.reader.office.properties import properties

_CONTENT, _PROPERTIES = "content.xml", "meta.xml"
# Comments, drawings and tracked changes are not values.
_SKIPPED = frozenset({"annotation", "shapes", "frame", "custom-shape", "tracked-changes", "forms", "dde-links"})
_MARKS = {"tab": " ", "line-break": " "}
_HIDDEN = ("collapse", "filter")
_FIELDS = re.compile(r"\d+|[^\W\d_]{3,}")  # of a day: a month alone claims none
_GROUPED = re.compile(r"\d{1,3}(?:[.,'’\s]\d{3})++")
_NUMBERS = ("float", "currency", "percentage")


def read_ods(key: str, content: bytes) -> Document:
    """Each sheet is a part, each row of a table a line; hidden ones are left out with a warning. Raises BadDocument."""
    writer, reader = Writer(key), OdsContent()
    with open_archive(key, content, ODS) as archive:
        archive.parse(_CONTENT, reader)
        write_sheets(writer, reader.sheets)
        metadata = properties(archive, _PROPERTIES)
    return writer.document(metadata.title, metadata.labels())


class OdsContent(SkippingReader):
    """The sheets of a spreadsheet, in `sheets`."""

    def __init__(self) -> None:
        self.sheets: list[WorkbookSheet] = []
        self._cells = Cells()
        self._hidden_styles: set[str] = set()
        self._style = ""
        self._row = self._rows = self._column = self._columns = self._of_columns = 0
        self._cell: dict[str, str] = {}
        self._values: dict[int, str] = {}
        self._parts: list[str] = []
        self._in_paragraph = 0
        self._hidden = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in _SKIPPED:
            self.skip()
        elif name == "style":
            self._style = attributes.get("name", "")
        elif name == "table-properties":
            if attributes.get("display") == "false":
                self._hidden_styles.add(self._style)
        elif name == "table":
            hidden = attributes.get("style-name", "") in self._hidden_styles
            self.sheets.append(WorkbookSheet(attributes.get("name", ""), hidden))
            self._row, self._rows, self._of_columns = 1, 0, 0
        elif not self.sheets or self.sheets[-1].hidden:
            return
        elif name == "table-column":
            first, count = self._of_columns, _count(attributes, "number-columns-repeated")
            self._of_columns += count
            if attributes.get("visibility", "") in _HIDDEN:
                self.sheets[-1].hide_columns(first, first + count - 1)
        elif name == "table-row":
            self._rows, self._column, self._values = _count(attributes, "number-rows-repeated"), 0, {}
            self._hidden = attributes.get("visibility") in _HIDDEN
        elif name in ("table-cell", "covered-table-cell"):
            self._cell, self._columns = attributes, _count(attributes, "number-columns-repeated")
            self._parts.clear()
        elif name in ("p", "h"):
            self._in_paragraph += 1
            self._parts.append(" ")
        elif name == "s":
            self._parts.append(" ")
        elif name in _MARKS:
            self._parts.append(_MARKS[name])

    def finish(self, name: str) -> None:
        if not self.sheets or self.sheets[-1].hidden:
            return
        elif name in ("p", "h"):
            self._in_paragraph -= 1
        elif name == "covered-table-cell":  # part of a merged cell, which shows the value
            self._column += self._columns
        elif name == "table-cell":
            shown = _format(self._cell, " ".join("".join(self._parts).split()), bool(self._parts))
            self.sheets[-1].unseen += not shown and bool(self._cell.get("value", ""))
            wide, high = (_count(self._cell, f"number-{kind}-spanned") for kind in ("columns", "rows"))
            if wide * high > 1:
                bottom, right = self._row + high - 1, self._column + wide - 1
                self.sheets[-1].merged.append(MergedCells(self._row, self._column, bottom, right))
            if shown:
                last = min(self._column + self._columns, MAX_COLUMN)
                self._values.update(dict.fromkeys(range(self._column, last), shown))
            self._column += self._columns
            self._cell = {}
        elif name == "table-row":
            for row in range(self._row, self._row + self._rows) if self._values else ():
                if self._hidden:
                    self.sheets[-1].hidden_rows.add(row)
                for column, value in self._values.items():
                    self._cells.put(self.sheets[-1], row, column, value)
            self._row += self._rows

    def text(self, text: str) -> None:
        if self._in_paragraph and not self.skipped:
            self._parts.append(text)


def _count(attributes: dict[str, str], name: str) -> int:
    number = attributes.get(name, "")
    # A row repeated beyond the limit is the empty rest of the sheet.
    return min(int(number[:8]), MAX_ROW) if number.isascii() and number.isdecimal() else 1


def _format(cell: dict[str, str], text: str, has_text: bool) -> str:
    """Return a cell's value in a locale-independent form, or its text.

    Integers formatted as codes, such as 00123 or INV-7, keep their text.
    """
    kind, value = cell.get("value-type", ""), cell.get("value", "")
    if kind in _NUMBERS and value:
        if has_text and not text:
            return ""
        if kind == "percentage":
            return f"{format_plain(float(value) * 100)}%"
        digits = value if LONG.fullmatch(value) else format_plain(float(value))
        is_code = "".join(filter(str.isdigit, text)).lstrip("0") == digits and not _GROUPED.fullmatch(text)
        if kind == "float" and is_code:
            return text
        return f"{digits} {cell.get('currency', '')}".strip()
    if kind == "date" and (not text or len(_FIELDS.findall(text)) > len(("month", "year"))):
        return cell.get("date-value", "").removesuffix("T00:00:00").replace("T", " ")
    if kind == "boolean":
        return cell.get("boolean-value", "").upper()
    return text
