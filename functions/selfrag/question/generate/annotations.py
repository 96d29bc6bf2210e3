"""Annotations of an answer: removes the prompt's signs and typed citation marks, and marks uncited sentences."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from selfrag.domain.answers import UNCITED, Citation
from selfrag.ports.model import TextBlock
from selfrag.text.markers import markers_in
from selfrag.text.sentences import split_sentences

# The sign of prompt.md for "the passages do not contain the answer".
NO_ANSWER = "NO_ANSWER"
# The sign before a sentence about gaps in the documents, which needs no citation; a search phrase in brackets may
# follow. Both signs are language-independent and never reach a caller.
NOT_SAID = "NOT_SAID"
MAX_PHRASE_CHARACTERS = 200

_LEAD = r"[\s*•>–-]*"
_NO_ANSWER = re.compile(rf"{_LEAD}{NO_ANSWER}(?!\w)")
_NOT_SAID = re.compile(rf"{_LEAD}({NOT_SAID}(?!\w)(?:\s?\[([^\]\n]*)\])?\s*[:：]?\s*)")
_SENTENCE_END = re.compile(r"(?:^|[.!?。！？:：\n][\"')\]」』）”’»]*\s*)$")
_LONGEST_END = 100  # characters of closing marks and white space
_QUOTES = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("„", "“"))


@dataclass(frozen=True)
class Remark:
    """A sentence about a gap in the documents: its sign from `start` to `words`, and the writer's search phrase."""

    start: int
    words: int
    end: int
    phrase: str


@dataclass(frozen=True)
class AnnotatedAnswer:
    """The model's raw answer with the spans of its sentences and signs."""

    text: str
    sentences: tuple[tuple[int, int], ...]
    remarks: tuple[Remark, ...]
    unanswered: bool

    @property
    def says_something(self) -> bool:
        """Return whether the answer has content besides remarks on gaps."""
        if not self.remarks:
            return bool(self.text.strip())  # one emoji may answer a thank-you
        own = {(remark.start, remark.end) for remark in self.remarks}
        rest = [self.text[start:end] for start, end in self.sentences if (start, end) not in own]
        return any(re.search(r"\w", sentence) for sentence in rest)

    @property
    def not_said(self) -> list[str]:
        """Return the remarks without their signs, or their phrases if they have no words."""
        sentences = [self.text[remark.words : remark.end].strip() or remark.phrase for remark in self.remarks]
        return [sentence for sentence in sentences if re.search(r"\w", sentence)]

    @property
    def search_phrases(self) -> list[str]:
        """Return the search phrases."""
        return list(dict.fromkeys(remark.phrase for remark in self.remarks if re.search(r"\w", remark.phrase)))


@dataclass(frozen=True)
class _Edit:
    """A replacement of the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def read(text: str, segments: Sequence[TextBlock], citations: Sequence[Citation]) -> AnnotatedAnswer:
    """Parse an answer; signs count alone or at the start of a sentence, outside citations and quotes."""
    sentences = tuple(_sentences(text, segments))
    remarks, unanswered = [], False
    for start, end in sentences:
        if _is_cited(start, end, citations, text) or _is_quoted(text, start):
            continue
        unanswered = unanswered or bool(_NO_ANSWER.match(text, start, end))
        if sign := _NOT_SAID.match(text, start, end):
            phrase = " ".join((sign[2] or "").split())[:MAX_PHRASE_CHARACTERS]
            remarks.append(Remark(start, sign.end(), end, phrase))
    return AnnotatedAnswer(text, sentences, tuple(remarks), unanswered)


def mark_uncited(
    reading: AnnotatedAnswer, citations: Sequence[Citation], passages: Mapping[str, str], *, grounded: bool
) -> tuple[str, list[Citation]]:
    """Remove signs and typed marks, mark uncited sentences of a grounded answer, and shift the citations.

    A sign exempts only the last sentence, so that no claim can hide behind it. A bracketed number that occurs in a
    cited passage is text and stays; `passages` are texts by id.
    """
    text, edits = reading.text, []
    signs = {remark.start: remark for remark in reading.remarks}
    for start, end in reading.sentences:
        words_end = start + len(text[start:end].rstrip())
        if remark := signs.get(start):
            sign = _NOT_SAID.match(text, start, end)
            edits.append(_Edit(sign.start(1) if sign else start, remark.words, ""))
        # Code numbers the citations.
        cited = [c.passage_id for c in citations if c.answer_span[0] < words_end and c.answer_span[1] > start]
        sources = [passages[passage_id] for passage_id in cited] or list(passages.values())
        typed = markers_in(text, remark.words if remark else start, words_end, sources)
        spared = remark is not None and not re.search(r"\w", text[end:])
        bounds = [start, *(bound for marker in typed for bound in (marker.start, marker.end)), words_end]
        bare = "".join(text[begin:end] for begin, end in zip(bounds[::2], bounds[1::2], strict=True))
        if typed and not re.search(r"\w", bare):
            # Marks alone are not a sentence; at the end, drop the space before them.
            is_last = not text[words_end:].strip()
            edits.append(_Edit(len(text[:start].rstrip()) if is_last else start, end if is_last else words_end, ""))
            continue
        edits += [_Edit(marker.start, marker.end, "") for marker in typed]
        if grounded and not cited and not spared and re.search(r"\w", text[start:end]):
            edits.append(_Edit(words_end, words_end, f" {UNCITED}"))
    return _apply_edits(text, edits), _move_citations(citations, edits)


def _sentences(text: str, segments: Sequence[TextBlock]) -> Iterator[tuple[int, int]]:
    """Yield sentences; a model's block also starts one if it begins with a sign."""
    begins, at = list[int](), 0
    for segment in segments:
        is_sign = re.match(rf"{_LEAD}(?:{NOT_SAID}|{NO_ANSWER})", segment.text)
        if is_sign and _SENTENCE_END.search(text, max(0, at - _LONGEST_END), at):
            begins.append(at)
        at += len(segment.text)
    start = 0
    for sentence in split_sentences(text):
        end = start + len(sentence)
        within = begins[bisect_right(begins, start) : bisect_left(begins, end)]
        yield from pairwise(dict.fromkeys((start, *within, end)))
        start = end


def _is_cited(start: int, end: int, citations: Sequence[Citation], text: str) -> bool:
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    return any(citation.answer_span[0] <= begin < citation.answer_span[1] for citation in citations)


def _is_quoted(text: str, position: int) -> bool:
    """Return whether a position is in a quotation of its line or in a code fence."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    straight = line.count('"') % 2 or line.count("`") % 2 or text.count("```", 0, position) % 2
    # “ opens a quotation in English and closes one in German.
    pairs = [pair for pair in _QUOTES if pair[0] != ("“" if "„" in line else "„")]
    return bool(straight) or any(line.count(opening) > line.count(closing) for opening, closing in pairs)


def _apply_edits(text: str, edits: Sequence[_Edit]) -> str:
    begins = [0, *(edit.end for edit in edits)]
    ends = [*(edit.start for edit in edits), len(text)]
    parts = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    return "".join(part + text for part, text in zip(parts, [*(edit.text for edit in edits), ""], strict=True))


def _move_citations(citations: Sequence[Citation], edits: Sequence[_Edit]) -> list[Citation]:
    """Shift citations to the edited text; drop those that covered only a sign."""

    def move(position: int, *, begins: bool) -> int:
        shift = 0
        for edit in edits:
            if edit.start < position or (begins and edit.start == position):
                shift += len(edit.text) - (min(edit.end, position) - edit.start)
        return position + shift

    spans = [(move(c.answer_span[0], begins=True), move(c.answer_span[1], begins=False)) for c in citations]
    pairs = zip(citations, spans, strict=True)
    return [c.replace(answer_span=span) for c, span in pairs if span[0] < span[1]]
