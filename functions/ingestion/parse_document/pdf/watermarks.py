"""Watermarks, such as DRAFT and CONFIDENTIAL: words that are set over a page and are none of its text."""

from collections.abc import Callable, Sequence

from ingestion.parse_document.pdf.shapes import Box, Word

_MOST_WORDS = 20
_AS_LARGE = 0.95  # of the largest size


def without_watermarks(words: Sequence[Word], is_pale: Callable[[int], bool]) -> Sequence[Word]:
    """Return the words without those at a slant, and without pale ones over the text that are larger than all of it.

    A page that is mostly set at a slant keeps its words. `is_pale` tells of a character by its number.
    """
    level = [word for word in words if not word.slanted]
    if 2 * len(level) < len(words):
        return words
    least = _AS_LARGE * max((word.size for word in level), default=0)
    large = [word for word in level if word.size >= least]
    text = [word.box for word in level if word.size < least]
    if len(large) > _MOST_WORDS:
        return level
    dropped = [word for word in large if any(_holds(word.box, box) for box in text) and is_pale(word.index)]
    return [word for word in level if word not in dropped] if dropped else level


def _holds(outer: Box, inner: Box) -> bool:
    """Return whether the middle of the inner box is in the outer one."""
    x, y = (inner.left + inner.right) / 2, (inner.bottom + inner.top) / 2
    return outer.left < x < outer.right and outer.bottom < y < outer.top
