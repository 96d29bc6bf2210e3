"""From words to stretches of a line, and from these to lines."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from selfrag.reader.pdf.pdfium import Page
from selfrag.reader.pdf.shapes import Box, Rule, Segment, Sheet, Word, around
from selfrag.reader.pdf.tables.frames import frames_of
from selfrag.reader.pdf.text.words import words_of

# A gap that divides two columns or two cells, in sizes of the font.
_WIDE, _AFTER_A_NUMBER = 1.05, 3.0
# Chinese and Japanese, and their punctuation; Korean has spaces.
NO_SPACES = re.compile("[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
# What stands before an entry of a list, or before a heading.
ENUMERATOR = re.compile(r"[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:[A-Z]\.|\d+\.)(?:\d+\.?)*|§")


def sheet_of(page: Page) -> Sheet:
    """Return what a page shows; text that runs across the rest, such as a stamp in the margin, is apart."""
    words, (rules, picture) = words_of(page), page.rules_and_picture()
    letters = Counter[int]()
    for word in words:
        letters[word.quarters] += len(word.text)
    main = max(letters, key=lambda quarters: letters[quarters], default=0)
    turned = [Rule(rule.box.turned(main), rule.flat == (main % 2 == 0)) for rule in rules]
    segments = _segments([word for word in words if word.quarters == main], turned, page)
    across = _segments([word for word in words if word.quarters != main], (), page)
    return Sheet(segments, across, turned, frames_of(turned), picture)


def _segments(words: Sequence[Word], rules: Sequence[Rule], page: Page) -> list[Segment]:
    """Return the stretches in the order of the words; a standing line between two words divides them."""
    standing = [rule.box for rule in rules if not rule.flat]
    found = list[list[Word]]()
    for word in words:
        # The number of a heading or of an entry begins a line; among the cells of a row it is a value.
        begins = bool(found) and len(found[-1]) == 1 and not (found[1:] and found[-2][-1].box.beside(word.box))
        if found and _goes_on(found[-1][-1], word, begins) and not _ruled_off(found[-1][-1], word, standing):
            found[-1].append(word)
        else:
            found.append([word])
    return [_segment(held, page) for held in found]


def rows_of(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Return the stretches line by line, from the top; those of a line from the left."""
    rows = list[list[Segment]]()
    for segment in sorted(segments, key=lambda one: -one.box.top - one.box.bottom):
        if rows and rows[-1][0].box.beside(segment.box):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda one: one.box.left) for row in rows]


def _goes_on(last: Word, word: Word, begins: bool) -> bool:
    gap, size = word.box.left - last.box.right, max(last.size, word.size)
    wide = _AFTER_A_NUMBER if begins and ENUMERATOR.fullmatch(last.text) else _WIDE
    return -0.5 * size < gap < wide * size and last.box.beside(word.box)


def _ruled_off(last: Word, word: Word, standing: Sequence[Box]) -> bool:
    across = (box for box in standing if box.bottom <= word.box.middle <= box.top)
    return any(last.box.left < box.left <= word.box.left + 1 for box in across)


def _is_space(last: Word, word: Word) -> bool:
    """Return whether there is a space between two words; that of a wide line of Chinese or Japanese is none."""
    if NO_SPACES.match(last.text[-1]) and NO_SPACES.match(word.text[0]):
        return word.box.left - last.box.right > 0.5 * word.size
    return word.spaced


def _segment(words: Sequence[Word], page: Page) -> Segment:
    text = words[0].text
    for last, word in pairwise(words):
        text += " " * _is_space(last, word) + word.text
    sizes = Counter[float]()
    for word in words:
        sizes[round(word.size, 1)] += len(word.text)
    looks = [page.look(word.index) for word in (words[0], words[-1])]
    bold, fixed = all(bold for bold, _ in looks), all(fixed for _, fixed in looks)
    size = sizes.most_common(1)[0][0]
    base = max(words, key=lambda word: word.size).base
    return Segment(text, around([word.box for word in words]), size, base, bold, fixed)
