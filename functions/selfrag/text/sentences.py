"""Sentences: the smallest pieces of a passage that can be cited."""

import re

# A sentence ends after its closing marks and the space behind them, or at a line's end. East Asian
# full stops need no space. Abbreviations such as "e.g.", initials and the numbers of a list do not end one.
_END = re.compile(
    r"(?<!^\d)(?<!^\d\d)(?<!\be\.g)(?<!\bi\.e)(?<!\bNo)(?<!\bapprox)(?<!\b[A-Z])[.!?]+[\"')\]»”’]*\s+"
    r"|[。！？]+[」』）”’]*\s*"
    r"|\n\s*",
    re.MULTILINE,
)


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences that joined together are the text again; none is only white space."""
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
