"""HTML tables: data tables, their cells, and rows with column names."""

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborNode

from selfrag.domain.tables import CellBudget, ColumnNames, PlacedCell, TableCell, placed_cells
from selfrag.domain.writing import Writer
from selfrag.reader.column_names import MAX_CARD_ROWS, is_card, look_like_names
from selfrag.reader.web.furniture import ElementFacts, role
from selfrag.text.weight import CAPACITY

MAX_SPAN = 1000  # browsers stop there, too
_HEAD_ROWS = 3  # maximum lines from the top to the column names, since a shared title may come first
CELLS = ("td", "th")


class TableWriter:
    """Writes a table's rows; headings may change further down."""

    def __init__(self, writer: Writer, budget: CellBudget) -> None:
        self._writer = writer
        self._budget = budget
        self._columns = ColumnNames()
        self._unseen: dict[str, None] = {}  # names without a value so far
        self._group = ""
        self._was_heading = False
        self._counted = 0

    def write(self, caption: str, rows: Iterable[list[TableCell]]) -> None:
        """Write a table with its caption; rows below a group heading begin with it.

        Rows are numbered from below the first headings. Raises BadDocument for too many cells.
        """
        with self._writer.table(caption):
            if caption:
                self._writer.line(caption)
            for row in placed_cells(rows, self._budget):
                self._write_row(row)
            self._name_the_rest()

    def _write_row(self, row: list[PlacedCell]) -> None:
        cells = [placed.cell for placed in row if placed.cell.text]
        is_heading = bool(cells) and all(placed.cell.head for placed in row)
        is_group = is_heading and len(row) == 1 and (row[0].cell.wide > 1 or len(self._columns) > 1)
        if is_group:
            self._group = cells[0].text
            self._writer.line(self._group)
        elif is_heading:
            if not self._was_heading:
                self._name_the_rest()
                self._columns = ColumnNames()
            for placed in row:
                self._columns.add(placed.cell.text, placed.first, placed.end - placed.first)
            self._unseen |= dict.fromkeys(cell.text for cell in cells)
        elif cells:
            names, values = self._pairs(row)
            self._counted += 1
            self._writer.row(names, values, f"row {self._counted}")
        self._was_heading = is_heading and not is_group

    def _pairs(self, row: list[PlacedCell]) -> tuple[list[str], list[str]]:
        """Return names and values of a row; a row heading names the value after it if the column has no name."""
        pairs = [("", self._group)]
        own = ""
        for placed in row:
            names, text = self._columns.names(placed.first, placed.end - placed.first), placed.cell.text
            if not text:
                continue
            name = ", ".join(names)
            for heading in names:
                self._unseen.pop(heading, None)
            if own and (name or placed.cell.head):
                pairs.append(("", own))
                own = ""
            if placed.cell.head and not name:
                own = text
            else:
                pairs.append((name or own, text))
                own = ""
        pairs.append(("", own))
        return [name for name, _ in pairs], [value for _, value in pairs]

    def _name_the_rest(self) -> None:
        """Write the headings of empty columns, which are content, too."""
        if self._unseen:
            self._writer.line(", ".join(self._unseen))
            self._unseen = {}


class HtmlTable:
    """A data table built from its cells."""

    def __init__(self, caption: str) -> None:
        self.caption = caption
        self.rows: list[list[TableCell]] = []

    def take_caption(self) -> str:
        """Return the caption, by default a heading across the first row."""
        alone = self.rows[0] if len(self.rows) > 1 and len(self.rows[0]) == 1 else []
        if not self.caption and alone and alone[0].head and alone[0].wide > 1:
            return self.rows.pop(0)[0].text
        return " ".join(self.caption.split())

    def add(self, node: LexborNode, text: str) -> None:
        spans = node.attributes
        row = node.parent
        above = row.parent if row is not None else None
        in_head = node.tag == "th" or (above is not None and above.tag == "thead")
        wide, tall = _span(spans.get("colspan")), _span(spans.get("rowspan"))
        self.rows[-1].append(TableCell(" ".join(text.split()), wide, tall, in_head))

    def mark_names(self) -> None:
        """Mark the header row, and the rows above it, as headings.

        On a card these are the first cells. Tables with declared headings stay as they are.
        """
        if any(cell.head for row in self.rows for cell in row):
            return
        shown = [[cell.text for cell in row] for row in self.rows]
        if len(shown) <= MAX_CARD_ROWS and is_card(shown):
            for row in self.rows:
                row[0].head, row[0].text = True, row[0].text.rstrip(":：")
            return
        at = next((at for at, row in enumerate(shown[:_HEAD_ROWS]) if sum(map(bool, row)) > 1), len(shown))
        # Cells may be blank between columns of money.
        if at + 1 < len(shown) and look_like_names([shown[at][0], *filter(None, shown[at][1:])], shown[at + 1 :]):
            for row in self.rows[: at + 1]:
                for cell in row:
                    cell.head = True


def _span(value: str | None) -> int:
    digits = (value or "").strip()[:6]
    number = int(digits) if digits.isascii() and digits.isdigit() else 1
    return max(1, min(number, MAX_SPAN))


def is_data(table: LexborNode, facts: dict[int, ElementFacts]) -> bool:
    """Return whether a table holds data, not layout.

    Layout tables have that role; or at most one column with words and no head; or no heading and one row, a nested
    table, headings or long text.
    """
    if role(table.attributes) in ("presentation", "none"):
        return False
    rows, columns, has_heading, longest = 0, set[int](), False, 0
    for row in _rows(table):
        column, says = 0, False
        for cell in children(row, CELLS):
            weight = facts[cell.mem_id].weight
            if weight:
                says = True
                columns.add(column)
                has_heading |= cell.tag == "th"
                longest = max(longest, weight)
            column += _span(cell.attributes.get("colspan"))
        rows += says
    held = facts[table.mem_id]
    holds_words_alone = rows > 1 and held.tables == 1 and not held.headings
    if len(columns) < 2:
        # Layout tables have no words in a head.
        rows_of_heads = (row for head in children(table, ("thead",)) for row in children(head))
        heads = (cell for row in rows_of_heads for cell in children(row, CELLS))
        return holds_words_alone and any(facts[cell.mem_id].weight for cell in heads)
    return has_heading or (holds_words_alone and longest <= CAPACITY)


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from children(child, ("tr",))


def children(node: LexborNode, tags: tuple[str, ...] = ()) -> Iterator[LexborNode]:
    """Return the direct child elements, optionally with these tags."""
    return (child for child in node.iter() if not tags or child.tag in tags)
