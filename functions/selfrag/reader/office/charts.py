"""Charts of office documents as lines such as `March: 37`, and OpenDocument objects (charts, equations)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from posixpath import normpath
from xml.parsers.expat import ExpatError

from selfrag.domain.writing import Writer
from selfrag.reader.archive import PartReader, XmlArchive
from selfrag.reader.data.workbooks.formats import format_number
from selfrag.reader.equations import Equation
from selfrag.reader.office.numbering import parse_whole
from selfrag.reader.office.relations import relations

MAX_POINTS = 5_000  # of a chart: series, names and values
MAX_TITLE = 1_000  # characters
_IN_A_LINE = 12  # values; of more a passage would be cut
_NAMES, _VALUES = frozenset({"cat", "xVal", "strDim"}), frozenset({"val", "yVal", "numDim"})
_PLACES = _NAMES | _VALUES | {"title", "tx", "dLbls", "trendline", "errBars", "bubbleSize", "legend"}
_AXES = frozenset({"catAx", "valAx", "dateAx", "serAx", "axis"})


@dataclass
class Series:
    """A chart series: its name, category names and values."""

    name: str = ""
    names: dict[int, str] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)


def lines_of(title: str, series: Sequence[Series]) -> list[str]:
    """Return a chart as lines: the title, then each series, named if there are several."""
    lines = [" ".join(title.split())]
    for each in series:
        named = [each.name] if each.name and (len(series) > 1 or each.name != lines[0]) else []
        points = [(each.names.get(at, ""), value) for at, value in sorted(each.values.items())]
        pairs = [f"{name}: {value}" if name else value for name, value in points]
        lines += ["; ".join([*named, *pairs[at : at + _IN_A_LINE]]) for at in range(0, len(pairs), _IN_A_LINE)]
    return list(filter(None, lines))


class ChartReader(PartReader):
    """Reads a chart's part, of either kind that Office writes."""

    def __init__(self) -> None:
        self.title = ""
        self.series: list[Series] = []
        self._places: list[str] = []
        self._axes = self._points = self._named = 0
        self._point = 0
        self._code = ""  # the format of the following values
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._axes += name in _AXES
        if name in _PLACES:
            self._places.append(name)
            self._code = ""
        elif name in ("ser", "data") and self._points <= MAX_POINTS:
            self._points += 1
            self.series.append(Series())
        elif name == "series":
            self._named += 1
        elif name == "pt":
            self._points += 1
            self._point = parse_whole(attributes.get("idx", ""))
        if name in ("v", "t", "formatCode", "pt"):
            self._text = []

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, name: str) -> None:
        self._axes -= name in _AXES
        if name in ("v", "t", "formatCode", "pt") and self._text is not None:
            self._take(name, "".join(self._text))
            self._text = None
        elif name in _PLACES:
            self._places.pop()

    def _take(self, name: str, text: str) -> None:
        place = self._places[0] if self._places else ""
        if place == "title" and not self._axes:
            self.title += text[: MAX_TITLE - len(self.title)]
        elif name == "formatCode":
            self._code = text
        elif place == "tx" and name == "v" and self.series:
            self.series[self._named - 1 if self._named else -1].name = text
        elif self.series and text.strip() and self._points <= MAX_POINTS and place in _NAMES | _VALUES:
            points = self.series[-1].names if place in _NAMES else self.series[-1].values
            before = f"{points[self._point]}, " if self._point in points else ""
            shown = text.strip()
            with suppress(ValueError):
                shown = format_number(float(shown), self._code) or shown
            points[self._point] = before + shown


def charts(archive: XmlArchive, part: str, writer: Writer) -> dict[str, list[str]]:
    """Return the chart lines of a part and its drawings, by relation id.

    Warns about charts without stored values; unreadable ones are skipped.
    """
    lines, without_values = dict[str, list[str]](), 0
    with suppress(ExpatError):
        for key, relation in relations(archive, part).items():
            if relation.kind == "drawing":
                lines |= charts(archive, relation.part, writer)
            elif relation.kind in ("chart", "chartEx"):
                reader = ChartReader()
                with suppress(ExpatError):
                    archive.parse(relation.part, reader)
                lines[key] = lines_of(reader.title, reader.series)
                without_values += not any(series.values for series in reader.series)
    if without_values:
        writer.warnings.append(f"{writer.key} has charts whose values are not in the file ({without_values}).")
    return lines


class OdfObject(PartReader):
    """Reads the content of an object: an equation, or a chart with the table of its values."""

    def __init__(self) -> None:
        self.equation: Equation | None = None
        self._title = ""
        self._rows: list[list[str]] = []
        self._cells = 0
        self._places: list[str] = []

    def lines(self) -> list[str]:
        names, *rows = self._rows or [[]]
        places = {at: row[0] for at, row in enumerate(rows) if row}
        columns = range(1, len(names))
        values = ({at: row[column] for at, row in enumerate(rows) if row[column:]} for column in columns)
        series = [Series(name, places, column) for name, column in zip(names[1:], values, strict=True)]
        return lines_of(self._title, series)

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

    def text(self, text: str) -> None:
        if self.equation:
            self.equation.text(text)
        elif self._places == ["title"]:
            self._title += text[: MAX_TITLE - len(self._title)]
        elif self._places[-1:] == ["table-cell"] and self._rows and self._rows[-1] and self._cells <= MAX_POINTS:
            self._rows[-1][-1] += text[: MAX_TITLE - len(self._rows[-1][-1])]

    def end(self, name: str) -> None:
        if self.equation and name != "math":
            self.equation.end(name)
        if self._places and name == self._places[-1]:
            self._places.pop()


def read_object(archive: XmlArchive, attributes: dict[str, str]) -> OdfObject:
    """Return the referenced object, or an empty one if it is missing or unreadable."""
    part, reader = f"{normpath(attributes.get('href', ''))}/content.xml", OdfObject()
    return reader if archive.parse_optional(part, reader) else OdfObject()
