"""The tables among Textract's blocks of a page."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from selfrag.domain.tables import Shown
from selfrag.ports.recognizer import Element

# A block without its geometry; `named` has the ids of the blocks that it names, by the kind of relationship.
Block = Mapping[str, Any]


def named_by(block: Block, blocks: Mapping[str, Block], kind: str = "CHILD") -> list[Block]:
    """Return the blocks that a block names, those left out that never came."""
    return [blocks[each] for each in block["named"].get(kind, ()) if each in blocks]


class Tables:
    """The tables of a page by the lines of their cells, for nothing else tells where a table stands."""

    def __init__(self, blocks: Mapping[str, Block]) -> None:
        self._blocks = blocks
        self._left = {key: block for key, block in blocks.items() if block["BlockType"] == "TABLE"}
        self._of_word, self._titles = dict[str, str](), set[str]()
        for key, table in self._left.items():
            for cell in named_by(table, blocks):
                self._of_word |= dict.fromkeys(cell["named"].get("CHILD", ()), key)
            for title in named_by(table, blocks, "TABLE_TITLE"):
                self._titles.update(title["named"].get("CHILD", ()))

    def holds(self, line: Block) -> bool:
        """Return whether all words of a line are in cells."""
        return bool(words := line["named"].get("CHILD")) and all(word in self._of_word for word in words)

    def is_title(self, line: Block) -> bool:
        """Return whether a line is a table's title."""
        return bool(words := line["named"].get("CHILD")) and self._titles.issuperset(words)

    def taken(self, line: Block) -> Iterator[Element]:
        """Yield the tables that hold a line, unless a line before had them."""
        for key in dict.fromkeys(self._of_word[word] for word in line["named"]["CHILD"]):
            if key in self._left:
                yield from self._read(self._left.pop(key))

    def _read(self, table: Block) -> Iterator[Element]:
        """Yield a table; one that names its columns anew between its rows is several.

        Names are the rows of which each cell is a COLUMN_HEADER. A table of names alone is rows without names.
        """
        title = " ".join(map(self._text, named_by(table, self._blocks, "TABLE_TITLE")))
        names, rows = list[Shown](), list[Shown]()
        for is_names, row in self._rows(table):
            if is_names and rows:
                yield Element(title, names=names, rows=rows)
                title, names, rows = "", [], []
            if "".join(text for text, _ in row) != title:
                (names if is_names else rows).append(row)
        if names or rows:
            yield Element(title, names=names if rows else (), rows=rows or names)

    def _rows(self, table: Block) -> Iterator[tuple[bool, Shown]]:
        """Yield each row that has a text of its own, and whether it names columns.

        A cell that was merged says the same in each of its rows.
        """
        cells = {(cell["RowIndex"], cell["ColumnIndex"]): cell for cell in named_by(table, self._blocks)}
        wholes = named_by(table, self._blocks, "MERGED_CELL")
        merged = {each: whole["Id"] for whole in wholes for each in whole["named"].get("CHILD", ())}
        columns = range(1, max((column for _, column in cells), default=0) + 1)
        for at in sorted({row for row, _ in cells}):
            row = {column: cells[at, column] for column in columns if (at, column) in cells}
            kinds = [set(cell.get("EntityTypes", ())) for cell in row.values() if self._text(cell)]
            if not kinds:
                continue
            keys = [row[column]["Id"] if column in row else "" for column in columns]
            shown = [
                (self._text(self._blocks[key]) if key else "", len(list(group)))
                for key, group in groupby(merged.get(key, key) for key in keys)
            ]
            if all("TABLE_SECTION_TITLE" in kind for kind in kinds):
                shown = [(" ".join(filter(None, (text for text, _ in shown))), len(columns))]
            yield all("COLUMN_HEADER" in kind for kind in kinds), shown

    def _text(self, block: Block) -> str:
        """Return what a block says; a ticked box is an X."""
        if block["BlockType"] == "SELECTION_ELEMENT":
            return "X" if block.get("SelectionStatus") == "SELECTED" else ""
        return str(block.get("Text") or " ".join(filter(None, map(self._text, named_by(block, self._blocks)))))
