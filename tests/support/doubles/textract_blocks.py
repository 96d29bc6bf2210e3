"""The blocks that the double of Textract tells of a page, in the order of real replies and named as they name.

A page is spelled in a markup of our own: `# ` a title, `## ` a section's, `^ ` the page's header, `_ ` its footer, `. `
its number, `- ` an item of a list, `|= ` the title of a table, `|! ` its row of names, `| ` its other rows, with ` | `
between cells; `<` is merged with the cell on its left, `/` with the one above, `[x]` is a ticked box. Other lines are a
paragraph up to an empty line.
"""

from collections.abc import Iterable, Sequence
from itertools import count, groupby
from typing import Any

Block = dict[str, Any]
_TEXT, _TABLE, _LIST = "LAYOUT_TEXT", "LAYOUT_TABLE", "LAYOUT_LIST"
_LAYOUTS = {
    "# ": "LAYOUT_TITLE",
    "## ": "LAYOUT_SECTION_HEADER",
    "^ ": "LAYOUT_HEADER",
    "_ ": "LAYOUT_FOOTER",
    ". ": "LAYOUT_PAGE_NUMBER",
    "- ": _LIST,
    "|= ": _TEXT,
    "|! ": _TABLE,
    "| ": _TABLE,
}
_NAMES = ("CHILD", "MERGED_CELL", "TABLE_TITLE")
_MERGED = {"<": (0, -1), "/": (-1, 0)}


class Page:
    """The blocks of a page of what a picture spells; `words` more are in its first line."""

    def __init__(
        self,
        number: int,
        text: str,
        features: Sequence[str],
        confidence: float = 98,
        layout: float = 90,
        words: int = 0,
    ) -> None:
        self._number, self._confidence, self._layout, self._ids = number, confidence, layout, count()
        self._lines, self._words, self._tables, self._layouts = (list[Block]() for _ in range(4))
        for of_table, rows in groupby(map(_marked, text.splitlines()), lambda row: row[0].startswith("|")):
            if of_table:
                self._table([(mark, said.split(" | ")) for mark, said in rows])
            else:
                for mark, group in groupby(rows, lambda row: row[0]):
                    self._stretch(_LAYOUTS.get(mark, _TEXT), [said for _, said in group if mark != "blank"])
        if words and self._lines:
            more = [self._block("WORD", Text="more", Confidence=50.0) for _ in range(words)]
            self._words += more
            self._lines[0]["Relationships"][0]["Ids"] += _ids(more)
        self._tables *= "TABLES" in features
        self._layouts *= bool(features)

    @property
    def blocks(self) -> list[Block]:
        """Return the blocks: the page, its lines, their words, tables, and last the layout."""
        named = [*self._lines, *(each for each in self._tables if each["BlockType"] == "TABLE"), *self._layouts]
        return [self._block("PAGE", CHILD=_ids(named)), *self._lines, *self._words, *self._tables, *self._layouts]

    def _stretch(self, kind: str, said: Sequence[str]) -> None:
        lines = [line for each in said for line in self._line(each)[0]]
        if kind == _LIST:
            items = [self._block(_TEXT, CHILD=_ids([line])) for line in lines]
            self._layouts += [self._block(kind, CHILD=_ids(items)), *items]
        elif lines:
            self._layouts.append(self._block(kind, CHILD=_ids(lines)))

    def _table(self, rows: Sequence[tuple[str, list[str]]]) -> None:
        title, cells, lines = list[Block](), dict[tuple[int, int], Block](), list[Block]()
        merged = dict[str, list[str]]()
        for mark, said in rows:
            if mark == "|= ":
                self._stretch(_TEXT, said)
                title.append(self._block("TABLE_TITLE", CHILD=self._lines[-1]["Relationships"][0]["Ids"]))
                continue
            at = 1 + max((row for row, _ in cells), default=0)
            kinds = {"EntityTypes": ["COLUMN_HEADER"]} if mark == "|! " else {}
            for column, text in enumerate(map(str.strip, said), 1):
                its, words = self._line("" if text in _MERGED else text)
                lines += its
                cells[at, column] = cell = self._block("CELL", CHILD=words, RowIndex=at, ColumnIndex=column, **kinds)
                if text in _MERGED:
                    down, right = _MERGED[text]
                    first = cells[at + down, column + right]["Id"]
                    whole = next((key for key, ids in merged.items() if first in ids), first)
                    merged.setdefault(whole, [whole]).append(cell["Id"])
        wholes = [self._block("MERGED_CELL", CHILD=ids) for ids in merged.values()]
        table = self._block("TABLE", CHILD=_ids(cells.values()), MERGED_CELL=_ids(wholes), TABLE_TITLE=_ids(title))
        self._tables += [table, *cells.values(), *wholes, *title]
        self._layouts.append(self._block(_TABLE, CHILD=_ids(lines)))

    def _line(self, text: str) -> tuple[list[Block], list[str]]:
        """Add a line, unless it has no word; return it, and the ids of what it says."""
        told = [
            self._block("SELECTION_ELEMENT", SelectionStatus="SELECTED")
            if each == "[x]"
            else self._block("WORD", Text=each, Confidence=self._confidence)
            for each in text.split()
        ]
        self._words += told
        words = [each for each in told if each["BlockType"] == "WORD"]
        lines = [self._block("LINE", CHILD=_ids(words), Text=text, Confidence=self._confidence)] if words else []
        self._lines += lines
        return lines, _ids(told)

    def _block(self, kind: str, /, **said: Any) -> Block:
        named = [{"Type": each, "Ids": said[each]} for each in _NAMES if said.get(each)]
        more = {name: value for name, value in said.items() if name not in _NAMES}
        block = {
            "BlockType": kind,
            "Id": f"{self._number}-{next(self._ids)}",
            "Page": self._number,
            "Confidence": self._layout,
        }
        return {**block, **more, **({"Relationships": named} if named else {})}


def _marked(line: str) -> tuple[str, str]:
    mark = next((each for each in _LAYOUTS if line.startswith(each)), "" if line.strip() else "blank")
    return mark, line.removeprefix(mark)


def _ids(blocks: Iterable[Block]) -> list[str]:
    return [block["Id"] for block in blocks]
