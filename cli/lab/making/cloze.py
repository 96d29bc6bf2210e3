"""Questions by rule: a sentence of a passage with "..." in the place of a fact.

The fact is a number, else a name (in Chinese, Japanese and Korean a run of Katakana or of ideographs), else the
longest word. What the question is about is left to the reader, so it examines the search more than the answer.
"""

import re

from cli.lab.making.made import Made, Turn, flaw_of
from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN
from selfrag.text.sentences import split_sentences

GAP = "..."
# A sentence of fewer words, or East Asian letters, does not tell which fact is missing.
_LEAST = {False: 6, True: 12}
_MOST_CHARACTERS = 400
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,:/-]\d+)*%?(?![\w-])")
_EAST_ASIAN_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*%?")
_NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w&'’-]+(?: [A-Z][\w&'’-]+)*")
_EAST_ASIAN_NAME = re.compile("[\u30a1-\u30fa\u30fc]{3,}|[\u3400-\u4dbf\u4e00-\u9fff]{2,}|[\uac00-\ud7a3]{3,}")
_LONG = re.compile(r"[^\W\d_]{7,}")


def cloze_of(passage: Passage) -> Made | None:
    """A sentence of a passage without a fact, if it can be a number; None if no fact can be taken out of any."""
    sentences = [text for text in map(_in_a_line, split_sentences(passage.text)) if _is_told(text)]
    for rank in range(3):
        for text in sentences:
            for fact in _facts(text, rank):
                made = Made("cloze", Turn(text.replace(fact, GAP, 1), (fact,)), (passage,))
                if flaw_of(made) is None:
                    return made
    return None


def _in_a_line(sentence: str) -> str:
    return " ".join(sentence.split())


def _is_told(text: str) -> bool:
    """Whether a text is a sentence that is long enough, and no heading."""
    east_asian = bool(RUN.search(text))
    length = sum(map(len, RUN.findall(text))) if east_asian else len(text.split())
    return length >= _LEAST[east_asian] and len(text) <= _MOST_CHARACTERS and not text.startswith("#")


def _facts(text: str, rank: int) -> list[str]:
    """What of a sentence may be left out: its numbers, in the next rank its names, and then its longest words."""
    east_asian = bool(RUN.search(text))
    ranks = (_EAST_ASIAN_NUMBER, _EAST_ASIAN_NAME, _LONG) if east_asian else (_NUMBER, _NAME, _LONG)
    found = [fact[0] for fact in ranks[rank].finditer(text)]
    return sorted(found, key=len, reverse=True) if rank == 2 else found
