"""The check by code that the facts of a claim stand in the passages that it names (pure).

It is strict: a doubt costs a call of the stronger model, a miss costs trust.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from selfrag.domain.passages import Passage
from selfrag.question.grade_support.facts import CODES, Date, Fact, Facts, Number, facts_of, pairs_of
from selfrag.text.sentences import split_around, split_sentences

# A claim that shares fewer words with every sentence counts as another language's; many languages share names.
_SAME_LANGUAGE = 0.25


@dataclass(frozen=True)
class _Line:
    """A sentence of a passage and its context: the words of the sentence before it and of the titles above it.

    A row of a table is a sentence, and only its titles are its context: the row before it is about something else.
    """

    facts: Facts
    around: frozenset[str]


def stands_in(claim: str, passages: Sequence[Passage]) -> bool:
    """Return whether each sentence of a claim has its numbers, dates and names in one sentence of these passages.

    That sentence shares most words with the claim's, and has the facts in the same order. For a claim in another
    language any sentence will do; one without facts is in doubt.
    """
    lines = list(_lines(passages))
    plain = frozenset(word for line in lines for word in line.facts.words)
    return all(_sentence_stands(facts_of(sentence), lines, plain) for sentence in split_sentences(claim))


def _sentence_stands(said: Facts, lines: Sequence[_Line], plain: frozenset[str]) -> bool:
    understood = max((len(said.words & line.facts.words) for line in lines), default=0)
    if understood < _SAME_LANGUAGE * len(said.words):
        return bool(said.told) and any(_holds_translated(line, said) for line in lines)
    if not all(any(pairs_of(run) & (line.facts.words | line.around) for line in lines) for run in said.compounds):
        return False
    shared = [len(said.vocabulary & line.facts.vocabulary) for line in lines]
    return any(_holds(line, said, plain) for line, words in zip(lines, shared, strict=True) if words == max(shared))


def _holds(line: _Line, said: Facts, plain: frozenset[str]) -> bool:
    there = line.facts.vocabulary
    # A word that begins a claim is a name unless the passages have it with a small letter, too.
    unknown = [name for name in (said.first, *said.names) if name and name not in there and name not in plain]
    # The context of a sentence may add a name to it, but not replace one.
    if unknown and not (set(unknown) <= line.around and set(line.facts.names) <= said.vocabulary):
        return False
    begins = [said.first] if said.first and said.first in (line.facts.first, *line.facts.names) else []
    own = [fact for fact in (*begins, *said.told) if fact not in unknown]
    if len(line.facts.names) > 1 and len(line.facts.figures) > 1:
        return _in_order(own, line)
    names = [fact for fact in own if isinstance(fact, str)]
    return _in_order(names, line) and _in_order(said.figures, line)


def _holds_translated(line: _Line, said: Facts) -> bool:
    return set(said.names) <= line.facts.vocabulary | line.around and _in_any_order(said.figures, line.facts.figures)


def _in_order(said: Iterable[Fact], line: _Line) -> bool:
    """Return whether a sentence has these facts, each once and in their order."""
    left = iter((*filter(None, [line.facts.first]), *line.facts.told))
    return all(any(_same(fact, each) for each in left) for fact in said)


def _in_any_order(said: Iterable[Fact], there: Iterable[Fact]) -> bool:
    """Return whether these facts are among a sentence's, each once."""
    left = list(there)
    for fact in said:
        found = next((each for each in left if _same(fact, each, translated=True)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _same(fact: Fact, other: Fact, *, translated: bool = False) -> bool:
    """Return whether two facts agree; a passage's date may say more, and a translated number has another unit word."""
    if isinstance(fact, Number) and isinstance(other, Number):
        same_unit = fact.unit == other.unit or (translated and not {fact.unit, other.unit} & CODES)
        return fact.value == other.value and same_unit
    if isinstance(fact, Date) and isinstance(other, Date):
        return all(mine in ("", theirs) for mine, theirs in zip(fact.parts, other.parts, strict=True))
    return fact == other


def _lines(passages: Iterable[Passage]) -> Iterator[_Line]:
    for passage in passages:
        titles = facts_of(f"{passage.title} {passage.heading}").vocabulary
        before, rows = titles, {row.end for row in passage.rows}
        for start, end in split_around(passage.text, [(row.start, row.end) for row in passage.rows]):
            facts = facts_of(passage.text[start:end])
            yield _Line(facts, titles if end in rows else before)
            before = titles | facts.vocabulary
