"""The tables of an RTF file, which are paragraphs that say so, and rows that say how wide their cells are."""

from dataclasses import dataclass, field

from ingestion.parse_document.office.story import MAX_COLUMNS, Story


@dataclass
class _Cell:
    on: bool = False  # it goes on from above
    covered: bool = False  # by the one on its left
    lined: bool = False  # a line is drawn below it


@dataclass
class _Row:
    cells: list[_Cell] = field(default_factory=list)
    header: bool = False


_BORDERS = frozenset({"clbrdrt", "clbrdrl", "clbrdrb", "clbrdrr"})
_NO_LINE = frozenset({"brdrnone", "brdrnil", "brdrtbl"})


class RtfTable:
    """Follows the table that is open in a story."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._row = _Row()
        self._said = _Cell()
        self._at = 0
        self._below = False  # what is said of a border is said of the one below
        self._lined: list[bool] = []  # of each row, whether a line is drawn below it
        self._in_table = self._in_row = self._in_cell = False

    def take(self, word: str) -> bool:
        """Note what a control word says of a row or its cells; false if it says nothing of them."""
        if word == "trowd":
            self._row, self._said = _Row(), _Cell()
        elif word == "trhdr":
            self._row.header = True
        elif word == "clvmrg":
            self._said.on = True
        elif word == "clmrg":
            self._said.covered = True
        elif word in _BORDERS:
            self._below = word == "clbrdrb"
            self._said.lined |= self._below
        elif word in _NO_LINE:
            self._said.lined &= not self._below
        elif word == "cellx":
            if len(self._row.cells) < MAX_COLUMNS:
                self._row.cells.append(self._said)
            self._said = _Cell()
        else:
            return False
        return True

    def place(self, in_table: bool) -> None:
        """A paragraph begins, in a cell or below the table."""
        if in_table:
            self._open_cell()
        elif not self._in_row:
            self.close()

    def end_cell(self) -> None:
        """The cell ends; an empty one has not begun before."""
        self._open_cell()
        self._story.end_cell(self._defined(self._at).covered)
        self._in_cell = False
        self._at += 1

    def end_row(self) -> None:
        """The row ends."""
        if self._in_cell:
            self.end_cell()
        if self._in_row:
            self._story.end_row()
            self._lined.append(bool(self._row.cells) and all(cell.lined for cell in self._row.cells))
        self._in_row, self._at = False, 0

    def close(self) -> None:
        """The table ends, if one is open."""
        self.end_row()
        if self._in_table:
            if self._is_divided():
                self._story.look(first=True)
            self._story.end_table()
        self._in_table, self._lined = False, []

    def _is_divided(self) -> bool:
        """Whether a line sets the first row off from the others; one below the last row ends the table."""
        first, *others = self._lined or [False]
        return first and len(others) > 0 and not any(others[:-1]) and (len(others) > 1 or not others[0])

    def _open_cell(self) -> None:
        if not self._in_table:
            self._story.begin_table()
        if not self._in_row:
            self._story.begin_row(self._row.header)
        if not self._in_cell:
            width = 1
            while self._defined(self._at + width).covered:
                width += 1
            self._story.begin_cell(width, self._defined(self._at).on)
        self._in_table = self._in_row = self._in_cell = True

    def _defined(self, at: int) -> _Cell:
        return self._row.cells[at] if at < len(self._row.cells) else _Cell()
