"""Blocks of a document built from a stream, with notes after the sentences that refer to them."""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TypeVar

from selfrag.domain.writing import MAX_CHARACTERS
from selfrag.reader.archive import LimitExceeded
from selfrag.reader.office.blocks import Block, Cell, Grid, GridRow, OpenParagraph, Paragraph, RunLook, Script
from selfrag.reader.office.symbols import read_signs
from selfrag.reader.scripts import subscript, superscript
from selfrag.reader.visibility import WHITE, LeftOut
from selfrag.text.sentences import split_sentences

MAX_BLOCKS = 500_000  # paragraphs and columns of rows; each takes some 150 bytes
MAX_COLUMNS = 100  # that a cell can span; Word has 63 in a table
REFERENCE = "\x01"  # placeholder for a note reference; XML cannot contain this character
_BEFORE = 20  # number of preceding texts that determine a superscript's meaning
_ENDS = (".", "!", "?", "。", "！", "？")
Place = TypeVar("Place", Grid, GridRow, Cell)


class Story:
    """Collects blocks; each `begin` needs its `end`. Raises LimitExceeded for too much memory.

    Misplaced elements, such as a cell outside a row, keep their text.
    """

    def __init__(self, left_out: LeftOut) -> None:
        self.blocks: list[Block] = []
        self.left_out = left_out
        self._inside: list[Grid | GridRow | Cell] = []
        self._paragraphs: list[OpenParagraph] = []
        self._characters = self._counted = 0

    @property
    def says(self) -> bool:
        """Return whether the open paragraph has text."""
        return bool(self._paragraphs) and any(part.strip() for part in self._paragraphs[-1].parts)

    def add(self, text: str, bold: bool = False, script: Script = "baseline") -> None:
        """Add text to the open paragraph; without one it is dropped."""
        if not self._paragraphs or not text:
            return
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            millions = MAX_CHARACTERS // 1_000_000
            raise LimitExceeded(f"has more than {millions} million characters; split it into several files")
        paragraph = self._paragraphs[-1]
        if paragraph.script and paragraph.script[0] == script:
            text = paragraph.script[1] + text
        else:
            self._end_script(paragraph)
        if script != "baseline":
            paragraph.script = (script, text)
            return
        if paragraph.left_out and paragraph.parts and paragraph.parts[-1][-1:].isspace():
            text = text.lstrip(" ")
        paragraph.left_out = ""
        paragraph.parts.append(text)
        paragraph.bold &= bold or not text.strip()

    def add_run(self, text: str, look: RunLook, behind: str = WHITE, bold: bool = False) -> None:
        """Add formatted text over a background; invisible and struck text is counted and dropped."""
        kind = "unseen" if look.is_unseen(behind) else "struck" if look.struck else ""
        if not kind:
            self.add(read_signs(text, look.font), bold, look.script or "baseline")
        elif self._paragraphs and text.strip() and self._paragraphs[-1].left_out != kind:
            self._paragraphs[-1].left_out = kind
            setattr(self.left_out, kind, getattr(self.left_out, kind) + 1)

    def _end_script(self, paragraph: OpenParagraph) -> None:
        """Write the pending superscript or subscript after its base."""
        if paragraph.script:
            (script, text), before = paragraph.script, "".join(paragraph.parts[-_BEFORE:])
            paragraph.script = None
            paragraph.parts.append((superscript if script == "superscript" else subscript)(before, text))

    def refer(self, mark: str, note: str) -> None:
        if self._paragraphs:
            self.add(REFERENCE, bold=True)
            self._paragraphs[-1].notes.append((mark, note))

    def picture(self) -> None:
        """Record a picture in the open paragraph: a caption below it is not the table's above it."""
        if self._paragraphs:
            self._paragraphs[-1].picture = True

    def begin_paragraph(self) -> None:
        """Start a paragraph, which may be nested."""
        self._paragraphs.append(OpenParagraph())

    def drop_paragraph(self) -> None:
        self._paragraphs.pop()

    def end_paragraph(self, level: int = 0, caption: bool = False, label: str = "") -> None:
        """End the paragraph; `label` is its prefix, such as its number."""
        ended = self._paragraphs.pop()
        self._end_script(ended)
        text = "".join(ended.parts).strip()
        shown = f"{label} {text}" if label else text
        if not text:
            if ended.picture:
                self._put(Paragraph(""))
        elif level and not self._inside:
            # The heading stays separate; its notes follow.
            self._put(Paragraph(shown.replace(REFERENCE, ""), level))
            for mark, note in ended.notes:
                self._put(Paragraph(f"[{mark}] {note}"))
        else:
            self._put(Paragraph(insert_notes(shown, ended.notes), level, caption, ended.bold))

    def begin(self, place: Grid | GridRow | Cell) -> None:
        """Start a table, which may be nested in a cell, or a row or cell."""
        self._inside.append(place)

    def find_innermost(self, kind: type[Place]) -> Place:
        """Return the open table, row or cell, or a dummy if it is of another kind."""
        return place if self._inside and isinstance(place := self._inside[-1], kind) else kind()

    def end(self) -> None:
        """End the innermost table, row or cell."""
        ended = self._inside.pop()
        above = self._inside[-1] if self._inside else None
        if isinstance(ended, Cell):
            ended.columns = max(1, min(ended.columns, MAX_COLUMNS))
            self._count(ended.columns)
            if isinstance(above, GridRow):
                above.cells.append(ended)
            else:
                self.take_in(ended.blocks)
        elif isinstance(ended, GridRow) and ended.cells:
            above.lines.append(ended) if isinstance(above, Grid) else self._put(Grid([ended], first=False))
        elif isinstance(ended, Grid) and ended.lines:
            self._put(ended)

    def take_in(self, blocks: Iterable[Block]) -> None:
        """Add finished blocks, such as the lines of a chart."""
        for block in blocks:
            self._put(block)

    def _put(self, block: Block) -> None:
        self._count(1)
        cell = next((place for place in reversed(self._inside) if isinstance(place, Cell)), None)
        (cell.blocks if cell else self.blocks).append(block)

    def _count(self, more: int) -> None:
        self._counted += more
        if self._counted > MAX_BLOCKS:
            raise LimitExceeded("has more than half a million paragraphs and cells; split it into several files")


def insert_notes(text: str, notes: Sequence[tuple[str, str]]) -> str:
    """Write note marks as `[1]` and the notes after their sentences.

    `notes` has a mark and text per REFERENCE, in order; an empty text shows only the mark.
    """
    pieces = text.split(REFERENCE)
    left = deque(zip(accumulate(map(len, pieces)), notes, strict=False))
    parts, start, sentences = list[str](), 0, split_sentences("".join(pieces)) or [""]
    for number, sentence in enumerate(sentences, 1):
        at, stripped, behind = 0, len(sentence.rstrip()), list[str]()
        while left and left[0][0] <= start + len(sentence):
            place, (mark, note) = left.popleft()
            parts += [sentence[at : place - start], f"[{mark}]"]
            at = min(place - start, stripped)
            behind += [f" [{mark}] {note}"] if note else []
        last = number == len(sentences)
        parts += [sentence[at:stripped], *behind]
        ends = last or not behind
        divided = "" if ends or behind[-1].endswith(_ENDS) else "."
        parts.append(divided + (sentence[stripped:] or ("" if ends else " ")))
        start += len(sentence)
    return "".join(parts)
