"""Words, segments and lines from the characters of a page."""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median, median_low
from typing import TypeVar

from selfrag.reader.pdf.pdfium import PdfPage
from selfrag.reader.pdf.shapes import Box, PdfSegment, PdfSheet, Rule, Word, around
from selfrag.reader.pdf.tables.frames import frames_of
from selfrag.reader.pdf.text.forms import merge_annotations
from selfrag.reader.pdf.text.visibility import is_pale, visible_words
from selfrag.reader.scripts import subscript, superscript

# A gap that divides two columns or two cells, in sizes of the font.
_WIDE, _AFTER_A_NUMBER = 1.05, 3.0
# Chinese and Japanese, and their punctuation; Korean has spaces.
NO_SPACES = re.compile("[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
# Markers of list items and numbered headings.
ENUMERATOR = re.compile(r"[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:[A-Z]\.|\d+\.)(?:\d+\.?)*|§")
# PDFium writes U+FFFE for a line-end hyphen, directly followed by the next line.
_HYPHEN = "\ufffe"
_WORD = re.compile(rf"[^\s\x00-\x1f\x7f{_HYPHEN}]+{_HYPHEN}?")
_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f.,;:()'\u2019-]{4,}")
_NOTE = re.compile(r"\d{1,3}(?=[^\W\d])")
_SMALLER = 0.85  # of the size: note numbers, powers and indices are smaller
_INNER_NUMBER, _LONGEST_WITH_SCRIPTS = re.compile(r"\d(?=[^\W\d_])"), 40  # characters
_RAISED, _LOWERED, _APART = 0.15, 0.04, 0.25  # of the size: from one line to the other, and the widest gap between
_LONG_NUMBER = re.compile(r"\d{3}\Z")  # years have notes more often than powers
_SOFT_HYPHEN = re.compile(r"(?<=[^\W\d_])\xad(?=[^\W\d_])")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_LONGEST = 300  # characters; no line is longer
_GAP = 0.15  # of the size; TeX's smallest space is a fifth
_BACK = 0.4  # of the size: letters overlap less, cells of the next column more
# Watermarks: relative size to the largest letters, and maximum words.
_AS_LARGE, _MAX_WORDS = 0.95, 20
# Line numbers: minimum count and share in sequence; sizes to a column's name; sizes of a line of running text; shares
# of full lines and of lines that begin within a sentence.
_MIN_COUNTED, _COUNTING, _BELOW_NAME, _BROAD, _FULL, _WITHIN = 4, 0.8, 2.5, 15, 0.7, 0.3
_COUNT = re.compile(r"(?!(?:19|20)\d\d$)\d{1,5}")  # not a year
_ENDS_WITHIN = re.compile(r"(?:[.!?] |[。！？])\S")
# Drop caps: sizes of the text, sizes to the text; letters of a page; drop caps that are words.
_LARGE, _BESIDE, MAX_LETTERS, _LETTER_WORDS = 1.8, 1.5, 20, frozenset("AEIOYÀÓ")
_LETTER = re.compile(r"[\"'“„«‘¿¡「]?[^\W\d_]{1,2}")
Placed = TypeVar("Placed", Word, PdfSegment)


def words_of(page: PdfPage) -> list[Word]:
    """Return a page's words in file order, without watermarks."""
    text, words = page.text(), list[Word]()
    for match in _WORD.finditer(text):
        for start, end in _split_run(match, page):
            for first, last in _scripts(start, end, text, page):
                if word := _word(text[first:last], first, last, page):
                    before = text[first - 1 : first]
                    word.spaced = first == start and (not before or before.isspace() or start > match.start())
                    words.append(word)
    return _drop_watermarks(words, page)


def _drop_watermarks(words: list[Word], page: PdfPage) -> list[Word]:
    """Drop slanted words, if few, and pale words over the text that are larger than all of it."""
    level = [word for word in words if not word.slanted]
    if 2 * len(level) < len(words):
        return words
    least = _AS_LARGE * max((word.size for word in level), default=0)
    large = [word for word in level if word.size >= least]
    if len(large) > _MAX_WORDS:
        return level
    text = [word for word in level if word.size < least]
    over = (word for word in large if any(word.box.holds(other.box) for other in text))
    marks = [word for word in over if is_pale(page.paint(word.index))]
    return [word for word in level if word not in marks] if marks else level


def _drop_line_numbers(words: list[Word], frames: Sequence[Box]) -> list[Word]:
    """Drop a column of line numbers outside the text."""
    for side in (0, 1):
        rows = rows_of(words)
        pitch = median_low([1, *(above[0].base - row[0].base for above, row in pairwise(rows))]) or 1
        lines = [(at, row[-side], row[1 - side : len(row) - side]) for at, row in enumerate(rows)]
        lines = [line for line in lines if _COUNT.fullmatch(line[1].text) and line[2]]
        text = around([word.box for *_, line in lines for word in line] or [Box(0, 0, 0, 0)])
        lines = [line for line in lines if not text.left <= line[1].box.right <= text.right + line[1].size]
        counted = int(lines[-1][1].text) - int(lines[0][1].text) if lines else 0
        counting = [
            int(b[1].text) - int(a[1].text) in (b[0] - a[0], round((a[1].base - b[1].base) / pitch))
            for a, b in pairwise(lines)
        ]
        if counted < _MIN_COUNTED or sum(counting) < _COUNTING * len(counting):
            continue
        column = around([number.box for _, number, _ in lines])
        below_name = column._replace(top=column.top + _BELOW_NAME * lines[0][1].size)
        others = (*frames, *(word.box for word in words if not _COUNT.fullmatch(word.text)))
        certain = counted >= 2 * len(lines) or _is_running_text([line for *_, line in lines])
        if certain and not any(map(below_name.meets, others)):
            margin = column._replace(bottom=-1e7, top=1e7)
            words = [word for word in words if not (_COUNT.fullmatch(word.text) and margin.meets(word.box))]
    return words


def _is_running_text(lines: Sequence[Sequence[Word]]) -> bool:
    """Return whether lines are wide, equally long and broken within sentences."""
    widths = [line[-1].box.right - line[0].box.left for line in lines]
    texts = [" ".join(word.text for word in line) for line in lines]
    within = sum(_ENDS_WITHIN.search(text) is not None for text in texts)
    goes_on = sum(text[:1].islower() and above[-1:] not in ".!?" for above, text in pairwise(texts))
    broad = median(widths) >= max(_BROAD * lines[0][0].size, _FULL * max(widths))
    return broad and within > 0 and within + goes_on >= _WITHIN * len(lines)


def _join_first_letters(words: list[Word]) -> list[Word]:
    """Join drop caps with the word at their right."""
    usual = median([word.size for word in words] or [1])
    letters = [word for word in words if word.size >= _LARGE * usual and _LETTER.fullmatch(word.text)]
    counts = Counter(word.text.casefold() for word in words) if letters else Counter[str]()
    for letter in letters[:MAX_LETTERS]:
        near = letter.box._replace(left=letter.box.right - usual / 2, right=letter.box.right + _BESIDE * usual)
        small = (word for word in words if _LARGE * word.size <= letter.size)
        beside = [word for word in small if near.holds(word.box._replace(right=word.box.left))]
        if len({round(word.base) for word in beside}) > 1:
            first = max(beside, key=lambda word: word.base)
            whole, title = letter.text + first.text, first.text[:1].isupper() and first.text[1:2].islower()
            alone = letter.text in _LETTER_WORDS and counts[first.text.casefold()] > 1 > counts[whole.casefold()]
            first.text = f"{letter.text} {first.text}" if alone or title else whole
            words = [word for word in words if word is not letter]
    return words


def _word(shown: str, start: int, end: int, page: PdfPage) -> Word | None:
    first = page.character(start)
    size, quarters = first.size, first.quarters
    box = around([first.box, page.character(end - 1).box]).turn(quarters)
    if not all(abs(side) < 1e7 for side in box):
        return None
    base = page.origin(first.number).turn(quarters).bottom
    size = size if size >= 1 else box.height
    valid = _SOFT_HYPHEN.sub("", shown).replace(_HYPHEN, "-").replace("\uffff", "").replace("\xad", "-")
    clean = _LIGATURE.sub(lambda ligature: unicodedata.normalize("NFKC", ligature[0]), valid)
    return Word(clean, box, size, quarters, first.number, base, slanted=first.slanted)


def _split_run(match: re.Match[str], page: PdfPage) -> Iterator[tuple[int, int]]:
    """Return the word bounds in a run: gaps wider than its other letter gaps."""
    start, end = match.span()
    note = _NOTE.match(match[0])
    if note and page.character(start).size < _SMALLER * page.character(start + note.end()).size:
        yield start, start + note.end()
        start += note.end()
    cuts: Sequence[int] = ()
    if end - start <= _LONGEST and _LATIN_RUN.search(match.string, start, end):
        first = page.character(start)
        boxes = [page.box(first.number + number).turn(first.quarters) for number in range(end - start)]
        # The letters of a ligature share one position.
        gaps = [after.left - before.right if after != before else 0 for before, after in pairwise(boxes)]
        wide = max(0, median_low(gaps)) + _GAP * first.size
        cuts = [start + number for number, gap in enumerate(gaps, 1) if gap > wide or gap < -_BACK * first.size]
    yield from pairwise([start, *cuts, end])


def _scripts(start: int, end: int, text: str, page: PdfPage) -> Iterator[tuple[int, int]]:
    """Yield the bounds of parts of different size: a number and its raised power."""
    cuts: list[int] = []
    if 1 < end - start <= _LONGEST_WITH_SCRIPTS:
        first, last = page.character(start), page.character(end - 1)
        if not _is_alike(first.size, last.size) or _INNER_NUMBER.search(text, start, end):
            sizes = [page.character(at).size for at in range(start, end)]
            cuts = [start + at for at, (left, right) in enumerate(pairwise(sizes), 1) if not _is_alike(left, right)]
    yield from pairwise([start, *cuts, end])


def _is_alike(size: float, other: float) -> bool:
    return min(size, other) > _SMALLER * max(size, other)


def sheet_of(page: PdfPage) -> PdfSheet:
    """Return a page's content, with sideways text such as a margin stamp kept separate."""
    rules, pictures, fills = page.drawings()
    printed = words_of(page)
    words = visible_words(printed, page, pictures, fills)
    letters = Counter[int]()
    for word in words:
        letters[word.quarters] += len(word.text)
    main = max(letters, key=lambda quarters: letters[quarters], default=0)
    turned = [Rule(rule.box.turn(main), rule.flat == (main % 2 == 0)) for rule in rules]
    frames, annotations = frames_of(turned), [*page.annotations()]
    level = _drop_line_numbers(_join_first_letters([word for word in words if word.quarters == main]), frames)
    segments = _segments(level, turned, page)
    across = _segments([word for word in words if word.quarters != main], (), page)
    shown = (held for held in annotations if not held.comment and not held.attached)
    fields = [held._replace(box=held.box.turn(main)) for held in shown]
    if fields:
        segments = merge_annotations(segments, fields, frames)
    bounds = page.bounds()
    area = max(bounds.width * bounds.height, 1)
    return PdfSheet(
        segments,
        across,
        turned,
        frames,
        picture=max((box.width * box.height / area for box in pictures), default=None),
        printed=bool(words),
        comments=any(held.comment for held in annotations),
        unseen=len(printed) - len(words),
        attached=[held.attached for held in annotations if held.attached],
    )


def _segments(words: Sequence[Word], rules: Sequence[Rule], page: PdfPage) -> list[PdfSegment]:
    """Group words into segments in their order, split at vertical lines."""
    standing = [rule.box for rule in rules if not rule.flat]
    runs = list[list[Word]]()
    for word in words:
        # An enumerator starts a line; within a table row it is a value.
        begins = bool(runs) and len(runs[-1]) == 1 and not (runs[1:] and runs[-2][-1].box.shares_line(word.box))
        if runs and _goes_on(runs[-1][-1], word, begins) and not _ruled_off(runs[-1][-1], word, standing):
            runs[-1].append(word)
        else:
            runs.append([word])
    notes = {run[0].text for run in runs if run[1:] and run[0].text.isdigit() and run[0].size < _SMALLER * run[1].size}
    return [_segment(held, page, notes) for held in runs]


def rows_of(segments: Iterable[Placed]) -> list[list[Placed]]:
    """Group segments or words into lines, top to bottom and left to right."""
    rows = list[list[Placed]]()
    for segment in sorted(segments, key=lambda segment: -segment.box.top - segment.box.bottom):
        if rows and rows[-1][0].box.shares_line(segment.box):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda segment: segment.box.left) for row in rows]


def _goes_on(last: Word, word: Word, begins: bool) -> bool:
    gap, size = word.box.left - last.box.right, max(last.size, word.size)
    wide = _AFTER_A_NUMBER if begins and ENUMERATOR.fullmatch(last.text) else _WIDE
    return -0.5 * size < gap < wide * size and last.box.shares_line(word.box)


def _ruled_off(last: Word, word: Word, standing: Sequence[Box]) -> bool:
    middle = word.box.middle
    across = (box for box in standing if box.bottom <= middle <= box.top)
    return any(last.box.left < box.left <= word.box.left + 1 for box in across)


def _is_space(last: Word, word: Word) -> bool:
    """Return whether two words are separated by a space, not just the spacing of wide Chinese or Japanese lines."""
    if NO_SPACES.match(last.text[-1]) and NO_SPACES.match(word.text[0]):
        return word.box.left - last.box.right > 0.5 * word.size
    return word.spaced


def _segment(words: Sequence[Word], page: PdfPage, notes: Container[str]) -> PdfSegment:
    """Build a segment; `notes` are the page's note numbers, which are not powers."""
    text, level = words[0].text, words[0]
    for last, word in pairwise(words):
        rise, small = (word.base - level.base) / level.size, word.size <= _SMALLER * level.size
        near = not word.spaced and word.box.left - last.box.right <= _APART * level.size
        if not small or not near or -_LOWERED < rise < _RAISED:
            text += " " * _is_space(last, word) + word.text
            level = word if word.spaced or not small else level
        elif rise < 0:
            text += subscript(text, word.text)
        else:
            is_note = word.text in notes and _LONG_NUMBER.search(text)
            text += f"[{word.text}]" if is_note else superscript(text, word.text)
    sizes = Counter[float]()
    for word in words:
        sizes[round(word.size, 1)] += len(word.text)
    looks = [page.look(word.index) for word in (words[0], words[-1])]
    bold, fixed = all(bold for bold, _ in looks), all(fixed for _, fixed in looks)
    size = sizes.most_common(1)[0][0]
    base = max(words, key=lambda word: word.size).base
    return PdfSegment(text, around([word.box for word in words]), size, base, bold, fixed)
