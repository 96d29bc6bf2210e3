"""Sentences: the smallest pieces of a passage that can be cited."""

import re
from collections.abc import Sequence

# A sentence ends after its closing marks and the space after them, or at a line's end. East Asian
# full stops need no space. Abbreviations such as "e.g.", initials and the numbers of a list do not end one.
# The first group spares nearly all characters the rest: a text of 10 MB held the interpreter, and Ctrl-C, for seconds.
_END = re.compile(
    r"(?=[.!?。！？\n])(?:"
    r"(?<!^\d)(?<!^\d\d)(?<!\be\.g)(?<!\bi\.e)(?<!\bNo)(?<!\bapprox)(?<!\b[A-Z])(?<![.!?])[.!?]++[\"')\]»”’]*+\s+"
    r"|[。！？]+[」』）”’]*\s*"
    r"|\n\s*)",
    re.MULTILINE,
)


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences that join to the text again; none is only white space."""
    pieces: list[str] = []
    start = 0
    for end in [match.end() for match in _END.finditer(text)] + [len(text)]:
        piece = text[start:end]
        if piece.strip():
            pieces.append(piece)
        elif piece and pieces:
            pieces[-1] += piece
        elif piece:
            continue  # leading white space joins the first sentence
        start = end
    return pieces


def split_around(text: str, whole: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut a text into sentences, except that these stretches (in order, from character to character) stay whole.

    A stretch has no white space around it: the line end after it begins the next piece. Together they are the text
    again, and none is only white space.
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*whole, (len(text), len(text))]:
        if not at <= start <= end <= len(text):
            continue  # of a stored passage; a stretch that does not fit its text is ignored
        for sentence in split_sentences(text[at:start]):
            spans.append((at, at + len(sentence)))
            at += len(sentence)
        if text[start:end].strip():
            spans.append((at, end))
            at = end
    if spans:
        spans[-1] = spans[-1][0], len(text)
    return spans
