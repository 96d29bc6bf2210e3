"""Footnotes and endnotes, each behind the sentence that refers to it: an exception is found with its rule."""

from collections import deque
from collections.abc import Sequence
from itertools import accumulate

from selfrag.text.sentences import split_sentences

REFERENCE = "\x01"  # stands for a reference in a text that is being read; XML can hold no such character
_ENDS = (".", "!", "?", "。", "！", "？")


def with_notes(text: str, notes: Sequence[tuple[str, str]]) -> str:
    """Return the text with `[1]` where it refers to a note, and `[1] What the note says.` behind that sentence.

    `notes` are a mark and a text for each REFERENCE, in order; of one without a text only the mark is shown.
    """
    pieces = text.split(REFERENCE)
    left = deque(zip(accumulate(map(len, pieces)), notes, strict=False))
    told, start, sentences = list[str](), 0, split_sentences("".join(pieces)) or [""]
    for number, sentence in enumerate(sentences, 1):
        at, stripped, said = 0, len(sentence.rstrip()), list[str]()
        while left and left[0][0] <= start + len(sentence):
            place, (mark, note) = left.popleft()
            told += [sentence[at : place - start], f"[{mark}]"]
            at = min(place - start, stripped)
            said += [f" [{mark}] {note}"] if note else []
        last = number == len(sentences)
        told += [sentence[at:stripped], *said]
        told.append(sentence[stripped:] if last or not said else _between("".join(said), sentence[stripped:]))
        start += len(sentence)
    return "".join(told)


def _between(said: str, space: str) -> str:
    """Return what divides a note from the next sentence."""
    return ("" if said.endswith(_ENDS) else ".") + (space or " ")
