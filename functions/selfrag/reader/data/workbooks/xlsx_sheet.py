"""The cells of an Excel sheet, read as they stream by: what they show. Formulas never run."""

import re

from selfrag.reader.data.workbooks.formats import shown
from selfrag.reader.data.workbooks.workbook import MAX_COLUMN, MAX_ROW, Cells, Merged, Sheet
from selfrag.reader.data.workbooks.xlsx_parts import ON, unescaped
from selfrag.reader.zipped import TooMuch, local

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class SheetReader:
    """The cells of a sheet, by what they show."""

    def __init__(self, sheet: Sheet, cells: Cells, strings: list[str], codes: list[str], since_1904: bool) -> None:
        self._sheet, self._cells = sheet, cells
        self._strings, self._codes, self._since_1904 = strings, codes, since_1904
        self._row = self._column = 0
        self._style = self._kind = ""
        self._parts: list[str] = []
        self._in_value = self._aside = self._formula = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in what begins here."""
        name = local(tag)
        if name == "c":
            self._begin_cell(attributes)
        elif name in ("v", "t"):
            self._in_value = not self._aside
        elif name == "f":
            self._formula = True
        elif name == "rPh":
            self._aside = True
        elif name == "row":
            row = attributes.get("r", "")
            self._row = int(row) if row.isascii() and row.isdecimal() else self._row + 1
            self._column = -1
            if self._row > MAX_ROW:
                raise TooMuch(f"has a row {self._row}, and no sheet has more than {MAX_ROW}; save it again")
            if attributes.get("hidden") in ON:
                self._sheet.hidden_rows.add(self._row)
        elif name == "col" and attributes.get("hidden") in ON:
            self._sheet.hide_columns(int(attributes["min"]) - 1, int(attributes["max"]) - 1)
        elif name == "mergeCell":
            self._merge(attributes.get("ref", ""))

    def end(self, tag: str) -> None:
        """Take in what ends here."""
        name = local(tag)
        if name in ("v", "t"):
            self._in_value = False
        elif name == "rPh":
            self._aside = False
        elif name == "c":
            said = "".join(self._parts)
            self._sheet.without_value += self._formula and not said and self._kind != "str"
            self._cells.put(self._sheet, self._row, self._column, self._shown(said) if said else "")

    def text(self, text: str) -> None:
        """Take in text, if it is a value."""
        if self._in_value:
            self._parts.append(text)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        place = _place(attributes.get("r", ""))
        self._column = place[1] if place else self._column + 1
        if self._column >= MAX_COLUMN:
            raise TooMuch(f"has a row of more than {MAX_COLUMN} columns; save it again")
        self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
        self._parts.clear()
        self._formula = False

    def _merge(self, reference: str) -> None:
        first, _, last = reference.partition(":")
        begin, end = _place(first), _place(last)
        if begin and end:
            self._sheet.merged.append(Merged(begin[0], begin[1], min(end[0], MAX_ROW), end[1]))

    def _shown(self, said: str) -> str:
        if self._kind == "s":
            number = int(said)
            return self._strings[number] if 0 <= number < len(self._strings) else ""
        if self._kind == "b":
            return "TRUE" if said.strip() in ON else "FALSE"
        if self._kind == "d":
            return said.removesuffix("T00:00:00")
        if self._kind != "n":
            return unescaped(said)
        style = int(self._style) if self._style.isascii() and self._style.isdecimal() else -1
        return shown(float(said), self._codes[style] if 0 <= style < len(self._codes) else "", self._since_1904)


def _place(reference: str) -> tuple[int, int] | None:
    """Return the row, counted from 1, and the column, counted from 0."""
    found = _CELL.fullmatch(reference)
    if not found:
        return None
    column = 0
    for letter in found[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column - 1
