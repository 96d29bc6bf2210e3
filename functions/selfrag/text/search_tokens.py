"""The tokens of full text search: words by their stems, and n-grams of scripts that put no spaces between words.

The laptop and a deployment search by the same tokens. Every word has its English stem, so that a question and a passage
in two languages share identifiers and names; a text in another language adds the stems of that language.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import Stemmer

from selfrag.text.east_asian import RUN
from selfrag.text.language import detect_language

# Lucene's list. Longer ones, without the question words, were no better on XQuAD's questions.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
        this to was will with""",
    )
)
# Raise it, and `PASSAGES` of the settings, when a text would have other tokens: documents are then read again. For
# another form of the laptop's full text, raise it alone.
TOKENIZER = f"5, PyStemmer {Stemmer.version()}"
_ENGLISH = Stemmer.Stemmer("english")
_STEMMERS = {code: Stemmer.Stemmer(code) for code in re.findall(r"\w+", "ca da de es fi fr hu it nl pt ro ru sv tr")}
_STEMMER_LOCK = threading.Lock()  # a stemmer serves one thread at a time

# NFKC would make letters of these signs, and one number of a number with a fraction or an exponent.
_SIGNS = str.maketrans("™℠", "  ")
_RAISED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞²³¹⁰-⁹₀-₉])")
# The parts of a joined word: OvertimeService, HTTPServer, 25kg, v1.
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z]+")
# Letters of a code that are a stop word elsewhere: TO-220, AT&T; IT and appendix A in a line that is not in capitals.
_CODE = re.compile(r"\b[A-Z]+(?=[-–&/.]?\d|[-–&/][A-Z])|(?<=[&/])[A-Z]\b")
_NAME = re.compile(r"\b[A-Z]{2,}\b|(?<=\w )A\b(?! [a-z])")
_MARK = "\ue000"  # after such a stop word
# Thai, Lao, Burmese and Khmer. Three letters found more than two or four on XQuAD's Thai questions.
_SOUTHEAST_ASIAN = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)")
_EAST_ASIAN = re.compile(f"({RUN.pattern})")
_PLAIN_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670]")


class _WordLetters(dict[int, int | str | None]):
    """A table for str.translate that fills itself: letters, their marks and digits stay, all else divides words."""

    def __missing__(self, code: int) -> int | str | None:
        letter = chr(code)
        category = unicodedata.category(letter)
        if category == "Nd":
            self[code] = str(unicodedata.digit(letter))
        else:
            # Format characters, such as a soft hyphen, are invisible and stand inside words.
            self[code] = code if category[0] in "LMN" else None if category == "Cf" else " "
        return self[code]


_WORD_LETTERS = _WordLetters({ord(_MARK): ord(_MARK)})


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in order: lower case, compatibility forms made one (NFKC), without stop words.

    A word with accents is followed by the one without, and a joined word by its parts. In a text that is not English,
    each stem is followed by the one of the text's language.
    """
    text = unicodedata.normalize("NFKC", _RAISED.sub(" ", text.translate(_SIGNS)))
    stemmer = _STEMMERS.get(detect_language(text))
    text = "\n".join(map(_mark_codes, text.replace(_MARK, " ").split("\n")))
    terms: list[str] = []
    for marked in text.translate(_WORD_LETTERS).split():
        word = marked.rstrip(_MARK)
        lower = word.lower()
        if not word.isascii():
            terms.extend(_parts(lower))
        elif lower not in STOP_WORDS or word != marked:
            terms.append(lower)
            parts = _PARTS.findall(word) if not (word.isalpha() and word[1:].islower()) else []
            terms += [part.lower() for part in parts if len(parts) > 1]
    with _STEMMER_LOCK:
        stems: list[str] = _ENGLISH.stemWords(terms)
        if stemmer is None:
            return stems
        # Equal stems, too, come twice: else the words whose stems differ would weigh more than the others. Snowball
        # leaves nothing of some words, such as the Turkish ları.
        of_language = zip(terms, stemmer.stemWords(terms), strict=True)
        return [
            token for stem, (term, other) in zip(stems, of_language, strict=True) for token in (stem, other or term)
        ]


def _mark_codes(line: str) -> str:
    """Mark the stop words of a line that are letters of a code or a name."""

    def mark(match: re.Match[str]) -> str:
        return match[0] + _MARK if match[0].lower() in STOP_WORDS else match[0]

    line = _CODE.sub(mark, line)
    capitals = sum(map(str.isupper, line))
    return line if capitals > sum(map(str.islower, line)) else _NAME.sub(mark, line)


def _parts(word: str) -> Iterator[str]:
    for at, letters in enumerate(_EAST_ASIAN.split(word)):
        if at % 2:  # a run of East Asian letters
            yield from map("".join, pairwise(letters)) if len(letters) > 1 else letters
        else:
            yield from _split_text(letters)


def _split_text(word: str) -> Iterator[str]:
    for at, letters in enumerate(_SOUTHEAST_ASIAN.split(word)):
        if at % 2:
            yield from (letters[start : start + 3] for start in range(max(1, len(letters) - 2)))
        else:
            yield from _split_accents(letters)


def _split_accents(word: str) -> Iterator[str]:
    """Yield a word, and the word without accents and vowel signs if it has any."""
    if not word:
        return
    yield word
    plain = _PLAIN_MARKS.sub("", unicodedata.normalize("NFD", word)).replace("ß", "ss")
    if plain and plain != unicodedata.normalize("NFD", word):
        yield plain
