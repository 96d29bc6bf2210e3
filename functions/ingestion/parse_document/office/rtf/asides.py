"""The stories of an RTF file: its text, and what stands in it beside, such as notes, headers and text boxes."""

from collections.abc import Callable
from dataclasses import dataclass

from ingestion.parse_document.office.blocks import texts
from ingestion.parse_document.office.numbering import numeral
from ingestion.parse_document.office.rtf.table import RtfTable
from ingestion.parse_document.office.story import Story
from selfrag.domain.documents import has_words

_HEADINGS = {f"heading {level}": level + 1 for level in range(1, 10)} | {"title": 1}
_LAST_OUTLINE = 8
# The outline, the style and the number of a paragraph.
Look = tuple[int, str, str]


@dataclass
class _Told:
    """A story with the table and the paragraph that are open in it, until groups are closed to this depth."""

    kind: str
    depth: int
    story: Story
    table: RtfTable
    in_paragraph: bool = False


class Asides:
    """The text, and what is told beside it: `headers` are the paragraphs of headers and footers."""

    def __init__(self) -> None:
        self.headers: list[str] = []
        self._told = [_new("text", -1)]
        self._counted = {"footnote": 0, "endnote": 0}

    @property
    def story(self) -> Story:
        """The story that is told now."""
        return self._told[-1].story

    def add(self, text: str, bold: bool, in_table: bool) -> None:
        """Text; a paragraph begins with it if none is open."""
        told = self._told[-1]
        if not told.in_paragraph:
            if not text.strip():
                return
            told.table.place(in_table)
            told.story.begin_paragraph()
            told.in_paragraph = True
        told.story.add(text, bold)

    def open(self, kind: str, depth: int) -> None:
        """A `footnote`, a `header` or a text box (`shptxt`) begins; it ends when groups are closed to this depth."""
        self._told.append(_new(kind, depth))

    def close(self, depth: int, look: Callable[[], Look]) -> None:
        """A group ended."""
        while len(self._told) > 1 and self._told[-1].depth >= depth:
            self._end_paragraph(look)
            self._told[-1].table.close()
            self._end(self._told.pop())

    def finish(self, look: Callable[[], Look]) -> Story:
        """The text, when all was taken in."""
        self.close(-1, look)
        self._end_paragraph(look)
        self._told[-1].table.close()
        return self.story

    def take(self, word: str, look: Callable[[], Look]) -> bool:
        """Do what a control word says of paragraphs and cells; false if it says nothing of them."""
        told = self._told[-1]
        if word in ("par", "sect", "page"):
            self._end_paragraph(look)
        elif word == "cell":
            self._end_paragraph(look)
            told.table.end_cell()
        elif word == "row":
            self._end_paragraph(look)
            told.table.end_row()
        elif word == "ftnalt" and told.kind == "footnote":
            told.kind = "endnote"
        else:
            return told.table.take(word)
        return True

    def _end_paragraph(self, look: Callable[[], Look]) -> None:
        told = self._told[-1]
        if told.in_paragraph:
            outline, style, number = look()
            level = _HEADINGS.get(style, outline + 2 if 0 <= outline <= _LAST_OUTLINE else 0)
            label = number.strip() if has_words(number) else ""
            told.story.end_paragraph(level, style == "caption", label)
            told.in_paragraph = False

    def _end(self, ended: _Told) -> None:
        if ended.kind == "header":
            self.headers += texts(ended.story.blocks)
        elif ended.kind == "shptxt":
            self.story.take_in(ended.story.blocks)
        elif ended.kind in self._counted:
            self._counted[ended.kind] += 1
            mark = numeral(self._counted[ended.kind], "i" if ended.kind == "endnote" else "1")
            self.story.refer(mark, " ".join(" ".join(texts(ended.story.blocks)).split()))


def _new(kind: str, depth: int) -> _Told:
    story = Story()
    return _Told(kind, depth, story, RtfTable(story))
