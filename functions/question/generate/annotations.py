"""Annotations of an answer: marks on sentences that cite nothing, and the removal of the prompt's own signs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.domain.answers import UNCITED, Citation
from selfrag.text.sentences import split_sentences

# The sign, by prompt.md, before a sentence that says what the documents do not hold: such a sentence can cite nothing.
# The sign is the same in every language, and never reaches a caller.
NOT_SAID = "NOT_SAID"
_SIGN = re.compile(rf"{NOT_SAID}\s*[:：]?\s*")


@dataclass(frozen=True)
class _Edit:
    """A replacement of the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def says_something(text: str) -> bool:
    """Return whether an answer holds more than the remark that the documents do not say it."""
    if NOT_SAID not in text:
        return bool(text.strip())  # one emoji may answer a thank-you
    return any(re.search(r"\w", piece) and not _SIGN.match(piece) for piece in _pieces(text))


def not_said(text: str) -> list[str]:
    """Return the sentences that say what the documents do not hold, without the sign before them."""
    pieces = [piece for piece in _pieces(text) if _SIGN.match(piece)]
    return [words for piece in pieces if re.search(r"\w", words := _SIGN.sub("", piece).strip())]


def marked(text: str, citations: Sequence[Citation], *, grounded: bool) -> tuple[str, list[Citation]]:
    """Remove the signs, mark what cites nothing if the answer is grounded, and move the citations' spans along.

    Only a sign before the last sentence spares it the mark, so that no claim can hide behind a sign.
    """
    edits: list[_Edit] = []
    start = 0
    for piece in _pieces(text):
        end = start + len(piece)
        sign = _SIGN.match(piece)
        if sign:
            edits.append(_Edit(start, start + sign.end(), ""))
        spared = sign is not None and not re.search(r"\w", text[end:])
        words_end = start + len(piece.rstrip())
        cited = any(c.answer_span[0] < words_end and c.answer_span[1] > start for c in citations)
        if grounded and not cited and not spared and re.search(r"\w", piece):
            edits.append(_Edit(words_end, words_end, f" {UNCITED}"))
        start = end
    return _edited(text, edits), _moved(citations, edits)


def _pieces(text: str) -> list[str]:
    """Return the sentences of an answer; a sign begins one wherever it stands."""
    return [piece for sentence in split_sentences(text) for piece in re.split(rf"(?={NOT_SAID})", sentence) if piece]


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    begins = [0, *(edit.end for edit in edits)]
    ends = [*(edit.start for edit in edits), len(text)]
    kept = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    return "".join(part + text for part, text in zip(kept, [*(edit.text for edit in edits), ""], strict=True))


def _moved(citations: Sequence[Citation], edits: Sequence[_Edit]) -> list[Citation]:
    """Return the citations with spans in the edited text; one that held nothing but a sign is dropped."""

    def moved(position: int, *, begins: bool) -> int:
        shift = 0
        for edit in edits:
            if edit.start < position or (begins and edit.start == position):
                shift += len(edit.text) - (min(edit.end, position) - edit.start)
        return position + shift

    spans = [(moved(c.answer_span[0], begins=True), moved(c.answer_span[1], begins=False)) for c in citations]
    pairs = zip(citations, spans, strict=True)
    return [c.model_copy(update={"answer_span": span}) for c, span in pairs if span[0] < span[1]]
