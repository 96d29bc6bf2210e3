"""The sentences on what could not be read of a PDF."""

import re
from collections.abc import Iterable, Sequence

_END_WITHIN = 2048  # bytes, in which a PDF's mark of its end stands
_LATIN_WORD = re.compile(r"(?<![^\W_])[A-Za-z\u00c0-\u024f]+(?![^\W_])")
_VERY_LONG, _LEAST_WORDS, _GLUED_SHARE = 22, 50, 0.01


def is_cut_off(content: bytes) -> bool:
    """Return whether the mark of the end is missing."""
    return b"%%EOF" not in content[-_END_WITHIN:]


def without_text(key: str, pages: int, lost: Sequence[int]) -> str:
    """Return why nothing at all could be read."""
    if lost:
        return f"{key} has no page that can be read: it is damaged or too complex; print it to a new PDF."
    return f"{key} holds no text on any of its {pages} pages, so it is probably scanned; run text recognition on it."


def warnings(
    key: str, content: bytes, number: int, lost: Sequence[int], scanned: Sequence[int], texts: Iterable[str]
) -> Iterable[str]:
    """Yield what could not be read though the rest was."""
    if is_cut_off(content):
        yield f"{key} is cut off at its end: only what its first {number} pages still hold was read."
    if lost:
        yield f"{key} has pages that are damaged or too complex, which were left out: {_listed(lost)}."
    if scanned:
        yield f"{key} has pages that show images but hold no text, perhaps scanned: {_listed(scanned)}."
    lengths = [len(word) for text in texts for word in _LATIN_WORD.findall(text)]
    glued = sum(length >= _VERY_LONG for length in lengths)
    if len(lengths) >= _LEAST_WORDS and glued > _GLUED_SHARE * len(lengths):
        yield f"{key} has words that run together ({glued} of {len(lengths)} are very long); print it to a new PDF."


def _listed(pages: Sequence[int]) -> str:
    more = f" and {len(pages) - 10} more" if len(pages) > 10 else ""
    return ", ".join(map(str, pages[:10])) + more
