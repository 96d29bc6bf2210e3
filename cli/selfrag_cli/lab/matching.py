"""Nearness of an answer to a right one, without a model's opinion.

Texts are made comparable as by the official scripts of SQuAD 1.1 and 2.0 (github.com/rajpurkar/SQuAD-explorer): small
letters, no punctuation, no English articles, and words are what stands between white space. Chinese, Japanese and
Korean are compared letter by letter, and what stands between as words: as by MLQA's script (arXiv 1910.07475) for
Chinese, which takes all of Unicode's punctuation away and no article. KorQuAD's differs: it compares the digits of
numbers one by one.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from selfrag.text.east_asian import RUN

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")

Compare = Callable[[Sequence[str], Sequence[str]], float]


def f1(answer: str, right: str) -> float:
    """Return the harmonic mean of the share of the answer's words in the right one, and the other way round."""
    return _compared(_overlap, answer, right)


def match(answer: str, right: str) -> float:
    """Return 1 if the words of the right answer stand in the answer, in a row, else 0.

    Self-RAG's evaluation does the same (arXiv 2310.11511, section 4.1).
    """
    return _compared(_inside, answer, right)


def _compared(compare: Compare, answer: str, right: str) -> float:
    tokens = _letters if RUN.search(answer) or RUN.search(right) else _words
    return compare(tokens(answer), tokens(right))


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _letters(text: str) -> list[str]:
    plain = "".join(c for c in text.lower() if not unicodedata.category(c).startswith("P")).translate(_PUNCTUATION)
    return RUN.sub(lambda run: f" {' '.join(run[0])} ", plain).split()


def _overlap(answer: Sequence[str], right: Sequence[str]) -> float:
    if not answer or not right:
        return float(answer == right)
    same = sum((Counter(answer) & Counter(right)).values())
    return 2 * same / (len(answer) + len(right))


def _inside(answer: Sequence[str], right: Sequence[str]) -> float:
    places = range(len(answer) - len(right) + 1)
    return float(bool(right) and any(answer[at : at + len(right)] == right for at in places))


def same_document(first: str, second: str) -> bool:
    """Return whether two names can be of one document: a set may leave out first folders of a name, or have more."""
    names = [name.removeprefix("./").split("/") for name in (first, second)]
    shared = min(map(len, names))
    return names[0][-shared:] == names[1][-shared:]


def quoted_from(quote: str, passage: str) -> bool:
    """Return whether a quote stands in a passage, however the two are broken into lines."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(passage.split())


def share_covered(expected: Sequence[str], sources: Sequence[str], is_of: Callable[[str, str], bool]) -> float:
    """Return the share of what is expected, which is something, that a source covers; 0 to 1."""
    return sum(any(is_of(source, right) for source in sources) for right in expected) / len(expected)
