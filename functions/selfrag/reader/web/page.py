"""A web page as a browser would show it, written down: text, headings, tables, definitions and figures."""

from selectolax.lexbor import LexborNode

from selfrag.domain.writing import Writer
from selfrag.reader.web.columns import Budget
from selfrag.reader.web.definitions import Definitions
from selfrag.reader.web.figures import Figures
from selfrag.reader.web.furniture import Facts, names
from selfrag.reader.web.grids import CELLS, Grid, is_data
from selfrag.reader.web.lines import Lines
from selfrag.reader.web.marks import TAGS as HIGH
from selfrag.reader.web.marks import around
from selfrag.reader.web.tables import TableWriter
from selfrag.reader.web.walking import walk

_IN_TABLES = (*CELLS, "tr", "caption")
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = names(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol option p pre search section summary table tbody "
    "tfoot thead tr ul"
)


class Page:
    """Writes a page down, by the facts of its elements."""

    def __init__(self, writer: Writer, facts: dict[int, Facts], emptied: set[int], title: str) -> None:
        self._facts, self._emptied = facts, emptied
        self._lines = Lines(writer, title)
        self._definitions = Definitions(self._lines, facts)
        self._figures = Figures(self._lines, facts)
        self._budget = Budget(writer.key)
        self._tables: list[Grid | None] = []  # None for a table that only lays the page out

    def write(self, root: LexborNode | None) -> None:
        """Write all of it."""
        walk(root, self._enter, self._leave)
        self._lines.end()

    def _enter(self, node: LexborNode) -> bool:
        if node.is_text_node:
            self._lines.add(node.text_content or "")
            return False
        if self._figures.is_told(node):
            return False
        tag = node.tag or ""
        self._separate(tag)
        self._lines.preformatted += tag == "pre"
        if tag in _LEVELS:
            self._lines.begin_heading()
        elif tag in ("dl", "dt", "dd"):
            self._definitions.enter(node)
        elif tag == "table":
            data = is_data(node, self._facts)
            self._tables.append(Grid(self._figures.take_caption()) if data else None)
        elif tag in _IN_TABLES and self._tables and (grid := self._tables[-1]):
            self._begin_in_table(grid, tag)
        elif tag in HIGH:
            self._lines.add(around(node)[0])
        else:
            self._figures.enter(node)
        return True

    def _leave(self, node: LexborNode) -> None:
        if node.is_text_node or self._figures.is_told(node):
            return
        tag = node.tag or ""
        self._separate(tag)
        if tag in _LEVELS:
            self._lines.end_heading(_LEVELS[tag], node.mem_id in self._emptied)
        elif tag in ("dl", "dt", "dd"):
            self._definitions.leave(node)
        elif tag == "table":
            self._end_table()
        elif tag in _IN_TABLES and self._tables and (grid := self._tables[-1]):
            self._end_in_table(grid, node)
        elif tag in HIGH:
            self._lines.add(around(node)[1])
        else:
            self._figures.leave(node)
        self._lines.preformatted -= tag == "pre"

    def _separate(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._lines.end_block()
        elif tag in CELLS:
            self._lines.end_cell()

    def _begin_in_table(self, grid: Grid, tag: str) -> None:
        if tag == "tr":
            grid.rows.append([])
        else:
            self._lines.collect()

    def _end_in_table(self, grid: Grid, node: LexborNode) -> None:
        if node.tag == "caption":
            grid.caption = f"{grid.caption} {self._lines.collected()}".strip()
        elif node.tag in CELLS:
            grid.add(node, self._lines.collected())

    def _end_table(self) -> None:
        grid = self._tables.pop()
        self._lines.flush()
        if grid:
            grid.mark_names()
            TableWriter(self._lines.writer(), self._budget).write(grid.take_caption(), grid.rows)
