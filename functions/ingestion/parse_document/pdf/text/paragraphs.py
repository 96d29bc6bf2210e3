"""From the lines of a column to paragraphs: what the paper's width has broken is put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.parse_document.pdf.shapes import Box, Segment, around
from ingestion.parse_document.pdf.text.segments import ENUMERATOR, NO_SPACES
from ingestion.parse_document.pdf.text.vocabulary import Vocabulary, ends_in_hyphen, word_over_lines

_LEADING = 0.75  # of the size: more white between two lines divides paragraphs
_INDENT = 1.2  # of the size
_BROAD = 20  # sizes: in a narrower column little can be told from where a line ends
_HYPHEN = "-\u2010"
_ADDRESS = re.compile(r"://\S*[./?=&_-]$")
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
    found = list[Paragraph]()
    if not lines:
        return found
    last: Segment | None = None
    column = lines[0].box
    for line in lines:
        if last is None or _differ(last, line):
            column = around([one.box for one in lines if not _differ(one, line)])
        if last and _goes_on(found[-1], last, line, column):
            held = found[-1]
            held.text, held.lines = put_together(held.text, line.text, words), held.lines + 1
            held.box, held.bold = around([held.box, line.box]), held.bold and line.bold
        else:
            apart = last is None or last.box.bottom - line.box.top > 0.5 * _LEADING * line.size or _differ(last, line)
            found.append(Paragraph(line.text, line.box, line.size, line.bold, apart=apart))
        last = line
    return found


def put_together(before: str, after: str, words: Vocabulary) -> str:
    """Two lines as one: without the hyphen that only the end of the line asked for, without a space in East Asia."""
    if word := word_over_lines(before, after):
        return (before if words.keeps_hyphen(*word) else before[:-1]) + after
    if _ADDRESS.search(before) and not after[0].isupper():
        return before + after
    if before[-1] in _HYPHEN + "/" and not before[-2:-1].isspace() and len(before) > 1:
        return before + after
    return before + ("" if NO_SPACES.match(before[-1]) and NO_SPACES.match(after[0]) else " ") + after


def _goes_on(held: Paragraph, last: Segment, line: Segment, column: Box) -> bool:
    if (last.fixed and line.fixed) or _differ(last, line) or last.box.bottom - line.box.top > _LEADING * line.size:
        return False
    first = line.text.split(maxsplit=1)[0]
    if line.noted or (ENUMERATOR.fullmatch(first) and len(first) < len(line.text)):
        return False
    listed = ENUMERATOR.match(held.text) is not None
    if line.box.left - last.box.left > _INDENT * line.size and not (held.lines == 1 and listed):
        return False
    if line.text[0].islower() and not _ENDS.search(last.text):
        return last.box.width >= 0.5 * column.width or ends_in_hyphen(last.text)
    wanted = line.box.width * len(first) / len(line.text) + 0.25 * line.size
    return column.width >= _BROAD * line.size and last.box.right + wanted > column.right - 0.5 * line.size


def _differ(last: Segment, line: Segment) -> bool:
    return abs(last.size - line.size) > 0.12 * max(last.size, line.size)
