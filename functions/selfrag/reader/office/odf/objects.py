"""The charts and equations in an OpenDocument file, which are documents of their own within it."""

from posixpath import normpath

from typing_extensions import override

from selfrag.reader.archive import PartReader, XmlArchive
from selfrag.reader.equations import Equation
from selfrag.reader.office.charts import MAX_POINTS, MAX_TITLE, Series, lines_of


class OdfObject(PartReader):
    """Reads the content of an object: an equation, or a chart with the table of its values."""

    def __init__(self) -> None:
        self.equation: Equation | None = None
        self._title = ""
        self._rows: list[list[str]] = []
        self._cells = 0
        self._places: list[str] = []

    def lines(self) -> list[str]:
        """Return what a chart says, line by line; no line for an equation."""
        names, *rows = self._rows or [[]]
        places = {at: row[0] for at, row in enumerate(rows) if row}
        columns = range(1, len(names))
        values = ({at: row[column] for at, row in enumerate(rows) if row[column:]} for column in columns)
        series = [Series(name, places, column) for name, column in zip(names[1:], values, strict=True)]
        return lines_of(self._title, series)

    @override
    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.equation:
            self.equation.start(name, attributes)
        elif name == "math":
            self.equation = Equation()
        elif name in ("table-row", "table-cell"):
            self._cells += 1
            if name == "table-row" and self._cells <= MAX_POINTS:
                self._rows.append([])
            elif self._rows and self._cells <= MAX_POINTS:
                self._rows[-1].append("")
        if name in ("title", "axis", "table-cell"):
            self._places.append(name)

    @override
    def text(self, text: str) -> None:
        if self.equation:
            self.equation.text(text)
        elif self._places == ["title"]:
            self._title += text[: MAX_TITLE - len(self._title)]
        elif self._places[-1:] == ["table-cell"] and self._rows and self._rows[-1] and self._cells <= MAX_POINTS:
            self._rows[-1][-1] += text[: MAX_TITLE - len(self._rows[-1][-1])]

    @override
    def end(self, name: str) -> None:
        if self.equation and name != "math":
            self.equation.end(name)
        if self._places and name == self._places[-1]:
            self._places.pop()


def read_object(archive: XmlArchive, attributes: dict[str, str]) -> OdfObject:
    """Return the object that an element refers to; an empty one if it is not in the archive or cannot be read."""
    part, reader = f"{normpath(attributes.get('href', ''))}/content.xml", OdfObject()
    return reader if archive.parse_optional(part, reader) else OdfObject()
