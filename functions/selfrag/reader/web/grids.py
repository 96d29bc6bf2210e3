"""The tables of a web page: which hold data and which only lay the page out, and their cells."""

from collections.abc import Iterator
from dataclasses import replace

from selectolax.lexbor import LexborNode

from selfrag.reader.column_names import look_like_names
from selfrag.reader.web.columns import MAX_SPAN, Cell
from selfrag.reader.web.furniture import Facts, role
from selfrag.text.weight import CAPACITY

_HEAD_ROWS = 3  # at most: what the columns have in common may stand above their names
CELLS = ("td", "th")


class Grid:
    """A table of data, as its cells come in."""

    def __init__(self, caption: str) -> None:
        self.caption = caption
        self.rows: list[list[Cell]] = []

    def take_caption(self) -> str:
        """Return the caption; a heading across the first row is one if there is no other."""
        alone = self.rows[0] if len(self.rows) > 1 and len(self.rows[0]) == 1 else []
        if not self.caption and alone and alone[0].is_header and alone[0].wide > 1:
            return self.rows.pop(0)[0].text
        return " ".join(self.caption.split())

    def add(self, node: LexborNode, text: str) -> None:
        """Take in a cell with its text."""
        spans = node.attributes
        row = node.parent
        above = row.parent if row is not None else None
        in_head = node.tag == "th" or (above is not None and above.tag == "thead")
        wide, tall = _span(spans.get("colspan")), _span(spans.get("rowspan"))
        self.rows[-1].append(Cell(" ".join(text.split()), in_head, wide, tall))

    def mark_names(self) -> None:
        """Make the first row of several cells, and the rows above it, headings where it names the columns.

        A table that marks a heading itself is left as it is.
        """
        if any(cell.is_header for row in self.rows for cell in row):
            return
        shown = [[cell.text for cell in row] for row in self.rows]
        at = next((at for at, row in enumerate(shown[:_HEAD_ROWS]) if sum(map(bool, row)) > 1), len(shown))
        if at + 1 < len(shown) and look_like_names(_without_gaps(shown[at]), shown[at + 1 :]):
            for row in self.rows[: at + 1]:
                row[:] = [replace(cell, is_header=True) for cell in row]


def _without_gaps(row: list[str]) -> list[str]:
    """Return the texts; of those that are blank, as between columns of money, the first cell's alone."""
    return [row[0], *filter(None, row[1:])]


def _span(value: str | None) -> int:
    digits = (value or "").strip()[:6]
    number = int(digits) if digits.isascii() and digits.isdigit() else 1
    return max(1, min(number, MAX_SPAN))


def is_data(table: LexborNode, facts: dict[int, Facts]) -> bool:
    """Return whether a table says something by its rows and columns.

    One that only lays out a page says so by its role, has words in one column at most and no head, or has no heading
    and one row, another table, headings or text as long as a passage in it.
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
        return holds_words_alone and _has_head(table, facts)
    return has_heading or (holds_words_alone and longest <= CAPACITY)


def _has_head(table: LexborNode, facts: dict[int, Facts]) -> bool:
    """Return whether words stand in its head, which pages that are only laid out by tables do not have."""
    heads = children(table, ("thead",))
    return any(facts[cell.mem_id].weight for head in heads for row in children(head) for cell in children(row, CELLS))


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from children(child, ("tr",))


def children(node: LexborNode, tags: tuple[str, ...] = ()) -> Iterator[LexborNode]:
    """Yield the elements right below one, or those of them with these tags."""
    child = node.first_child
    while child is not None:
        if child.is_element_node and (not tags or child.tag in tags):
            yield child
        child = child.next
