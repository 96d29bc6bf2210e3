"""The tokens of full text search: words by their English stem, East Asian text by pairs of letters."""

import hashlib
import re
import threading
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import Stemmer

from selfrag.domain.passages import Passage, embedded_text
from selfrag.text.east_asian import RUN
from selfrag.text.file_names import file_name

# Lucene's list. Longer ones, without the question words, were no better on XQuAD's questions.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
        this to was will with""",
    )
)
_STEMMER = Stemmer.Stemmer("english")
_STEMMER_LOCK = threading.Lock()  # a stemmer serves one thread at a time
# Documents are read again when their tokens would be others.
_SOURCE = Path(__file__).read_bytes() + RUN.pattern.encode()
TOKENIZER = f"{hashlib.sha256(_SOURCE).hexdigest()[:16]}, PyStemmer {Stemmer.version()}"


class _WordLetters(dict[int, int | str | None]):
    """A table for str.translate that fills itself: letters, their marks and digits stay, all else divides words."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        # Format characters, such as a soft hyphen, are invisible and stand inside words.
        self[code] = code if category[0] in "LMN" else None if category == "Cf" else " "
        return self[code]


_WORD_LETTERS = _WordLetters()
_SIGNS = str.maketrans("™℠", "  ")  # which NFKC would make letters of the word before


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in order: lower case, compatibility forms made one (NFKC), without stop words."""
    terms: list[str] = []
    for word in unicodedata.normalize("NFKC", text.translate(_SIGNS)).lower().translate(_WORD_LETTERS).split():
        if word.isascii():
            if word not in STOP_WORDS:
                terms.append(word)
        else:
            terms.extend(_parts(word))
    with _STEMMER_LOCK:
        return list(_STEMMER.stemWords(terms))


def passage_tokens(passage: Passage) -> list[str]:
    """Return the tokens by which a passage is found: its title, its text, and its file's name if they lack it."""
    text, name = embedded_text(passage.title, passage.text), file_name(passage.document)
    return tokens(text if name in passage.title else f"{text}\n{name}")


def _parts(word: str) -> Iterator[str]:
    start = 0
    for run in RUN.finditer(word):
        if start < run.start():
            yield word[start : run.start()]
        letters = run[0]
        yield from map("".join, pairwise(letters)) if len(letters) > 1 else letters
        start = run.end()
    if start < len(word):
        yield word[start:]
