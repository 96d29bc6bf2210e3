"""Citations of models without a citation feature: sources as numbered sentences, and the answer's markers of these."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any

from selfrag.adapters.claude.profiles import MessagesRequest
from selfrag.ports.model import CitedBlocks, ModelText, Source, TextBlock
from selfrag.text.markers import Marker, markers_in
from selfrag.text.sentences import split_sentences

# Characters after a marker in which there must be a word for it to lead a sentence.
MAX_LOOKAHEAD = 80
# Bracketed numbers of a source get other brackets in the prompt, and their own in the answer.
_BRACKETS, _OTHERS = "[]【】［］", "⟦⟧⟬⟭⟮⟯"
_BRACKETED = re.compile(r"[\[【［][\s^]*\d[\d\s,;、–-]*[\]】］]")
_REPLACED = re.compile(r"[⟦⟬⟮][\s^]*\d[\d\s,;、–-]*[⟧⟭⟯]")
_TO_OTHERS, _FROM_OTHERS = str.maketrans(_BRACKETS, _OTHERS), str.maketrans(_OTHERS, _BRACKETS)
_THOUGHTS_END, _THOUGHTS_BEGIN = re.compile(r"</think(?:ing)?>"), re.compile(r"<think(?:ing)?>")


def user_text(request: MessagesRequest) -> str:
    """Return the user's message of a request as text, its search results as numbered sentences."""
    blocks: Any = request["messages"][0]["content"]
    sources = [
        Source(block["source"], block["title"], tuple(part["text"] for part in block["content"]))
        for block in blocks
        if block["type"] == "search_result"
    ]
    texts = [number_sentences(sources)] if sources else []
    return "\n\n".join([*texts, *(block["text"] for block in blocks if block["type"] == "text")])


def strip_thoughts(text: str) -> str:
    """Return the text after a model's thoughts, "" if they do not end; the template may contain their beginning."""
    return _THOUGHTS_BEGIN.split(_THOUGHTS_END.split(text)[-1])[0].strip()


def cited_by_markers(text: ModelText, sources: Sequence[Source]) -> ModelText:
    """Return a text whose markers are its citations, with a warning of those without a target."""
    if not sources:
        return text
    segments, dropped = parse_citations("".join(segment.text for segment in text.segments), sources)
    names = ", ".join(dropped)
    warning = (f"The model cited sentences that are not among its sources: {names}.",) if dropped else ()
    flaw = text.flaw or (None if segments else "malformed")
    return replace(text, segments=segments, flaw=flaw, warnings=(*text.warnings, *warning))


def number_sentences(sources: Sequence[Source]) -> str:
    """Return the sources as text: a line for each sentence, with its number in brackets, which counts on from 1."""
    lines, numbers = list[str](), count(1)
    for source in sources:
        lines.append(f"Source: {_line(source.name)}: {_line(source.title)}")
        # One line each, so that a source cannot fake a sentence number.
        lines += [f"[{next(numbers)}] {_line(block)}" for block in source.blocks]
    return "\n".join(lines)


def parse_citations(text: str, sources: Sequence[Source]) -> tuple[tuple[TextBlock, ...], list[str]]:
    """Return a text without its markers, by sentence with citations, and the invalid markers.

    A marker after a sentence belongs to it; one at the start of a line, to the next sentence.
    """
    places = [(index, block) for index, source in enumerate(sources) for block in range(len(source.blocks))]
    words, marked = _split(text, markers_in(text, 0, len(text), ["".join(source.blocks) for source in sources]))
    segments, dropped, start = list[TextBlock](), list[str](), 0
    for sentence in split_sentences(words):
        end = start + len(sentence)
        citations = list[CitedBlocks]()
        while marked and marked[0][0] < end:
            for first, last in marked.pop(0)[1].ranges:
                if 1 <= first <= last <= len(places):
                    citations += _extract_citations(places[first - 1 : last])
                else:
                    dropped.append(f"[{first}]" if first == last else f"[{first}-{last}]")
        sentence = _REPLACED.sub(lambda match: match[0].translate(_FROM_OTHERS), sentence)
        bare = sentence.rstrip()
        segments += [TextBlock(bare, tuple(dict.fromkeys(citations))), TextBlock(sentence[len(bare) :])]
        start = end
    return tuple(segment for segment in segments if segment.text), list(dict.fromkeys(dropped))


def _split(text: str, markers: Sequence[Marker]) -> tuple[str, list[tuple[int, Marker]]]:
    """Return a text without its markers, and each marker with the place of a character that it belongs to."""
    pieces, marked = list[str](), list[tuple[int, Marker]]()
    at = length = words_end = 0
    for marker in markers:
        # A line end before a marker stays.
        piece = text[at : marker.start + (text[marker.start] == "\n")]
        if piece.strip():
            words_end = length + len(piece.rstrip())
        at, length = marker.end, length + len(piece)
        pieces.append(piece)
        begins_line = not text[text.rfind("\n", 0, marker.start + 1) + 1 : marker.start].strip("-*• ")
        line = text[at : at + MAX_LOOKAHEAD].partition("\n")[0]
        leads = begins_line and bool(line.strip(" .:"))
        if leads:
            at += len(line) - len(line.lstrip())
        marked.append((length if leads or not words_end else words_end - 1, marker))
    return "".join([*pieces, text[at:]]), marked


def _extract_citations(places: Sequence[tuple[int, int]]) -> Iterator[CitedBlocks]:
    """Yield a citation for each source of these blocks, which follow each other."""
    for source, blocks in groupby(places, key=lambda place: place[0]):
        numbers = [block for _, block in blocks]
        yield CitedBlocks(source, numbers[0], numbers[-1] + 1)


def _line(text: str) -> str:
    """Return a source's text on one line, without anything like a sentence number."""
    return _BRACKETED.sub(lambda match: match[0].translate(_TO_OTHERS), " ".join(text.split()))
