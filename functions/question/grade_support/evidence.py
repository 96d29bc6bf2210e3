"""The check by code: do the facts of a claim stand in the passages that it names (pure)?

It is strict: a doubt costs a call of the stronger model, a miss costs trust.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from question.grade_support.facts import Date, Facts, Number, facts_of
from selfrag.domain.passages import Passage
from selfrag.text.sentences import split_sentences


@dataclass(frozen=True)
class _Line:
    """A sentence of a passage, and the names that its surroundings give it: the sentence before it, title, heading."""

    facts: Facts
    around: frozenset[str]


def stands_in(claim: str, passages: Sequence[Passage]) -> bool:
    """Whether each sentence of a claim has its numbers, dates and names in one sentence of these passages.

    That is the one that shares most words with it. Names may also stand in the sentence before it, or in the titles
    above it. For a claim in another language any sentence will do; a claim without facts is then in doubt.
    """
    lines = list(_lines(passages))
    known = {word for line in lines for word in line.facts.words | line.facts.names | line.around}
    return all(_sentence_stands(facts_of(sentence), lines, known) for sentence in split_sentences(claim))


def _sentence_stands(said: Facts, lines: Sequence[_Line], known: set[str]) -> bool:
    shared = [len((said.words | said.names) & (line.facts.words | line.facts.names)) for line in lines]
    translated = 2 * max(shared, default=0) < len(said.words | said.names)
    if translated:
        return bool(said.figures or said.names) and any(_holds(line, said, translated=True) for line in lines)
    # A first word that no passage has may be a name.
    if said.first and said.first not in known:
        return False
    nearest = [line for line, words in zip(lines, shared, strict=True) if words == max(shared)]
    return any(_holds(line, said, translated=False) for line in nearest)


def _holds(line: _Line, said: Facts, *, translated: bool) -> bool:
    names = line.facts.names | line.facts.words | line.around
    return said.names <= names and _in_order(said.figures, line.facts.figures, translated=translated)


def _in_order(said: Iterable[Number | Date], there: Iterable[Number | Date], *, translated: bool) -> bool:
    """Whether the figures of a claim are among those of a sentence, each once, in translation in any order."""
    left = list(there)
    for figure in said:
        at = next((n for n, each in enumerate(left) if figure.same(each, translated=translated)), None)
        if at is None:
            return False
        left = left[:at] + left[at + 1 :] if translated else left[at + 1 :]
    return True


def _lines(passages: Iterable[Passage]) -> Iterator[_Line]:
    for passage in passages:
        title = facts_of(f"{passage.title} {passage.heading}")
        before = title.names | title.words
        around = before
        for sentence in split_sentences(passage.text):
            facts = facts_of(sentence)
            yield _Line(facts, around)
            around = before | facts.names | facts.words
