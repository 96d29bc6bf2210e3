"""Figures of a web page: a caption stays with what it is the caption of."""

from selectolax.lexbor import LexborNode

from selfrag.reader.web.furniture import Facts
from selfrag.reader.web.grids import children, is_data
from selfrag.reader.web.lines import Lines
from selfrag.text.weight import CAPACITY

_BOXES = frozenset(("table", "figure", "example"))  # DocBook's classes
_CAPTIONS = frozenset(("title", "caption"))


class Figures:
    """Gives a table the caption of its figure, wherever that stands, and writes any other small figure as a whole."""

    def __init__(self, lines: Lines, facts: dict[int, Facts]) -> None:
        self._lines = lines
        self._facts = facts
        self._whole: list[int] = []
        self._figure = self._caption = 0
        self._text = ""

    def enter(self, node: LexborNode) -> None:
        """An element begins, be it a figure or not."""
        if node.tag != "figure" and not (node.tag == "div" and _BOXES & _classes(node)):
            return
        facts = self._facts[node.mem_id]
        if not self._figure and (caption := self._caption_of_a_table(node)):
            self._figure, self._caption, self._text = node.mem_id, caption.mem_id, " ".join(caption.text().split())
        elif facts.weight <= CAPACITY and not facts.headings and not facts.tables and not self._lines.collecting:
            self._whole.append(node.mem_id)
            self._lines.collect()

    def leave(self, node: LexborNode) -> None:
        """It ends."""
        if node.mem_id == self._figure:
            self._figure = self._caption = 0
        elif self._whole and self._whole[-1] == node.mem_id:
            self._whole.pop()
            if text := self._lines.collected():
                self._lines.writer().definition("", text)

    def is_told(self, node: LexborNode) -> bool:
        """Return whether an element is a caption that its table has."""
        return bool(self._caption) and node.mem_id == self._caption

    def take_caption(self) -> str:
        """Return the caption of the figure in which a table stands, "" if there is none."""
        text, self._text = self._text, ""
        return text

    def _caption_of_a_table(self, figure: LexborNode) -> LexborNode | None:
        if self._facts[figure.mem_id].tables != 1:
            return None
        table = figure.css_first("table", default=None)
        found = (child for child in children(figure) if child.tag == "figcaption" or _CAPTIONS & _classes(child))
        caption = next(found, None)
        if table is None or caption is None or not is_data(table, self._facts) or caption.css_first("table"):
            return None
        return caption


def _classes(node: LexborNode) -> set[str]:
    return set((node.attributes.get("class") or "").split())
