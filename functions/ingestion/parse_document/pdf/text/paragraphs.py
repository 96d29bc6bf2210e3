"""From the lines of a column to paragraphs: what the paper's width has broken is put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingestion.parse_document.pdf.shapes import Box, Segment, around
from ingestion.parse_document.pdf.text.segments import ENUMERATOR, NO_SPACES
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary, word_over_lines

_LEADING, _WIDEST = 0.75, 2.0  # of the size: more white between two lines divides paragraphs
_MORE = 1.2  # times the usual white of a column, which may be wide
_INDENT = 1.2  # of the size
_BROAD = 20  # sizes: in a narrower column little can be told from where a line ends
_HYPHENS = ("-", "\u2010")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_ENDS = re.compile(r"[.!?:;。！？：；][)\"'”’」』）]*$")


@dataclass(slots=True)
class Paragraph:
    """Text of one look.

    `apart` tells whether white divides it from the text above, `across` whether it runs in another direction.
    """

    text: str
    box: Box
    size: float
    bold: bool
    lines: int = 1
    apart: bool = False
    across: bool = False


def joined_row(row: Sequence[Segment]) -> Segment:
    """Return the stretches of one line as one."""
    longest = max(row, key=lambda one: len(one.text))
    text, box = " ".join(one.text for one in row), around([one.box for one in row])
    return Segment(text, box, longest.size, longest.base, all(one.bold for one in row), longest.fixed, row[0].noted)


def paragraphs_of(lines: Sequence[Segment], words: Vocabulary) -> list[Paragraph]:
    """Return the paragraphs of a column; `words` are those of the document."""
    found, last = list[Paragraph](), None
    for line in lines:
        if last is None or _differ(last, line):
            alike = [one for one in lines if not _differ(one, line)]
            column, usual = around([one.box for one in alike]), _usual_white(alike)
        white = last.box.bottom - line.box.top if last else 0
        if last and white <= max(_LEADING, usual) * line.size and _goes_on(found[-1], last, line, column):
            held = found[-1]
            held.text, held.lines = put_together(held.text, line.text, words), held.lines + 1
            held.box, held.bold = around([held.box, line.box]), held.bold and line.bold
        else:
            apart = last is None or white > 0.5 * _LEADING * line.size or _differ(last, line)
            found.append(Paragraph(line.text, line.box, line.size, line.bold, apart=apart))
        last = line
    return found


def put_together(before: str, after: str, words: Vocabulary, cell: bool = False) -> str:
    """Two lines as one: without the hyphen that only the end of the line asked for, without a space in East Asia.

    Also a word that was too long for its `cell`, and a Korean one, goes on in the next line.
    """
    if word := word_over_lines(before, after):
        return (before if words.keeps_hyphen(*word) else before[:-1]) + after
    if before.endswith((*_HYPHENS, "/")) and not before[-2:-1].isspace() and len(before) > 1:
        return before + after
    cut = word_over_lines(before, after, hyphened=False) if cell or _HANGUL.match(before[-1]) else None
    glued = (cut and words.is_cut(*cut)) or (NO_SPACES.match(before[-1]) and NO_SPACES.match(after[0]))
    return before + ("" if glued else " ") + after


def _usual_white(lines: Sequence[Segment]) -> float:
    """Return the usual white between lines, in sizes, and a little more; 0 where it is very wide."""
    white = [(above.box.bottom - line.box.top) / line.size for above, line in pairwise(lines)]
    usual = _MORE * median(white) if white else 0
    return usual if usual <= _WIDEST else 0


def _goes_on(held: Paragraph, last: Segment, line: Segment, column: Box) -> bool:
    if (last.fixed and line.fixed) or line.noted or _differ(last, line):
        return False
    first = line.text.split(maxsplit=1)[0]
    if ENUMERATOR.fullmatch(first) and len(first) < len(line.text):
        return False
    if line.box.left - last.box.left > _INDENT * line.size and not (held.lines == 1 and ENUMERATOR.match(held.text)):
        return False
    if line.text[0].islower() and not _ENDS.search(last.text):
        return last.box.width >= 0.5 * column.width or last.text.endswith(_HYPHENS)
    wanted = line.box.width * len(first) / len(line.text) + 0.25 * line.size
    return column.width >= _BROAD * line.size and last.box.right + wanted > column.right - 0.5 * line.size


def _differ(last: Segment, line: Segment) -> bool:
    return abs(last.size - line.size) > 0.12 * max(last.size, line.size)
