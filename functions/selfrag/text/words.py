"""Tokenization for word-overlap scores."""

import re
import unicodedata

from selfrag.text.east_asian import RUN

_NUMBER = re.compile(r"(?<!\d)\d++(?:[.,:/-]\d++)++")
_WORD = re.compile(r"\w+")


def words_of(text: str) -> set[str]:
    """Return the folded words and numbers of a text; East Asian letters as adjacent pairs.

    A number such as 3.10 counts both whole and by its parts.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = set(_NUMBER.findall(folded))
    for run in _WORD.findall(folded):
        for letters in RUN.findall(run):
            words |= {letters[at : at + 2] for at in range(max(1, len(letters) - 1))}
        words |= set(filter(None, RUN.split(run)))
    return words
