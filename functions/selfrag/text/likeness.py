"""The likeness of texts by their letters, in any language (pure)."""

from collections.abc import Sequence

_LETTERS = 3


def most_like(text: str, others: Sequence[str]) -> int:
    """Return the index of the text that has most runs of three letters in common with `text`, the first of equals."""
    letters = _runs(text)
    return max(range(len(others)), key=lambda place: _share(letters, _runs(others[place])))


def _runs(text: str) -> set[str]:
    """Return all runs of three letters, which languages without spaces have, too."""
    folded = " ".join(text.casefold().split())
    return {folded[at : at + _LETTERS] for at in range(max(1, len(folded) - _LETTERS + 1))}


def _share(letters: set[str], other: set[str]) -> float:
    return 2 * len(letters & other) / (len(letters) + len(other))
