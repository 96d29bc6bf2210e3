"""Evidence of an answer: whether the named passages contain a claim's facts (pure).

The check is strict: a doubt costs a call to the stronger model, a miss costs trust.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from selfrag.domain.answers import Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.passages import Passage
from selfrag.question.grade_support.facts import CODES, Date, Fact, Number, SentenceFacts, facts_of, pairs_of
from selfrag.retrieval.duplicates import newer_versions
from selfrag.text.likeness import most_like
from selfrag.text.sentences import split_around, split_sentences
from selfrag.text.words import words_of

# A claim with less overlap counts as another language, since many languages share names.
_SAME_LANGUAGE = 0.25


@dataclass(frozen=True)
class _Line:
    """A sentence with its context: the words of the previous sentence and the titles.

    A table row has only its titles as context.
    """

    facts: SentenceFacts
    around: frozenset[str]


class AnswerEvidence:
    """The passages of an answer; sentences are parsed on first use."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = list(passages)
        self._newer = newer_versions(passages)

    @property
    def ids(self) -> list[str]:
        """Return the passage ids in order."""
        return [passage.passage_id for passage in self._passages]

    def ids_of(self, numbers: Iterable[int]) -> list[str]:
        """Return ids for passage numbers from 1, ignoring invalid numbers."""
        return [self._passages[n - 1].passage_id for n in dict.fromkeys(numbers) if 1 <= n <= len(self._passages)]

    def select_ids(self, passage_ids: Iterable[str]) -> list[str]:
        """Return the ids that belong to these passages."""
        own = set(self.ids)
        return [name for name in passage_ids if name in own]

    def build_fields(self) -> dict[str, object]:
        """Build the request fields: numbered passages, and pairs of a passage and its newer version."""
        fields: dict[str, object] = {
            "passages": [{"number": number, **each.quoted()} for number, each in enumerate(self._passages, start=1)]
        }
        if self._newer:
            numbers = {name: number for number, name in enumerate(self.ids, start=1)}
            fields["newer_versions"] = [
                {"passage": numbers[older], "newer": numbers[newer]} for older, newer in self._newer.items()
            ]
        return fields

    def build_state(self) -> dict[str, dict[str, str]]:
        """Build the decision model's state: passages by number."""
        return {str(number): each.quoted() for number, each in enumerate(self._passages, start=1)}

    def narrow_to(self, passage_ids: Iterable[str]) -> "AnswerEvidence":
        """Return only these passages and their newer versions; without ids, all passages."""
        names = set(passage_ids)
        names |= {newer for older, newer in self._newer.items() if older in names}
        return AnswerEvidence([each for each in self._passages if each.passage_id in names] or self._passages)

    def holds(self, claim: str, passage_ids: Collection[str] | None = None) -> bool:
        """Return whether each sentence of a claim is supported by one sentence of these passages (None: all).

        The supporting sentence shares the most words and has the claim's numbers, dates and names in order. Any
        sentence qualifies for a claim in another language; a claim without facts is never confirmed.
        """
        chosen = zip(self._passages, self._lines, strict=True)
        lines = [line for each, own in chosen for line in own if passage_ids is None or each.passage_id in passage_ids]
        plain = frozenset(word for line in lines for word in line.facts.words)
        return all(_is_sentence_supported(facts_of(sentence), lines, plain) for sentence in split_sentences(claim))

    def fit(self, sentence: str, passage_id: str) -> tuple[bool, float]:
        """Return whether a passage has a sentence's facts, and its share of the sentence's words."""
        words, passage = words_of(sentence), self._passage(passage_id)
        shared = len(words & words_of(f"{passage.title} {passage.text}"))
        return self.holds(sentence, [passage_id]), shared / len(words) if words else 0.0

    def quote(self, sentence: str, passage_id: str, span: tuple[int, int]) -> Citation:
        """Return a citation of the passage's most similar sentence."""
        passage = self._passage(passage_id)
        blocks = split_around(passage.text, [(row.start, row.end) for row in passage.rows]) or [(0, len(passage.text))]
        start, end = blocks[most_like(sentence, [passage.text[start:end] for start, end in blocks])]
        return citation_of(passage, start, end, span)

    def _passage(self, passage_id: str) -> Passage:
        return next(each for each in self._passages if each.passage_id == passage_id)

    @cached_property
    def _lines(self) -> list[list[_Line]]:
        return [list(_lines_of(passage)) for passage in self._passages]


def _is_sentence_supported(claimed: SentenceFacts, lines: Sequence[_Line], plain: frozenset[str]) -> bool:
    understood = max((len(claimed.words & line.facts.words) for line in lines), default=0)
    if understood < _SAME_LANGUAGE * len(claimed.words):
        return bool(claimed.facts) and any(
            set(claimed.names) <= line.facts.vocabulary | line.around
            and _has_facts(claimed.figures, line.facts.figures)
            for line in lines
        )
    if not all(any(pairs_of(run) & (line.facts.words | line.around) for line in lines) for run in claimed.compounds):
        return False
    shared = [len(claimed.vocabulary & line.facts.vocabulary) for line in lines]
    return any(
        _contains_facts(line, claimed, plain) for line, words in zip(lines, shared, strict=True) if words == max(shared)
    )


def _contains_facts(line: _Line, claimed: SentenceFacts, plain: frozenset[str]) -> bool:
    there = line.facts.vocabulary
    # A word that begins a claim is a name unless the passages also write it in lower case.
    unknown = [name for name in (claimed.first, *claimed.names) if name and name not in there and name not in plain]
    # Context may add a name to a sentence, not replace one.
    if unknown and not (set(unknown) <= line.around and set(line.facts.names) <= claimed.vocabulary):
        return False
    begins = [claimed.first] if claimed.first and claimed.first in (line.facts.first, *line.facts.names) else []
    own = [fact for fact in (*begins, *claimed.facts) if fact not in unknown]
    if len(line.facts.names) > 1 and len(line.facts.figures) > 1:
        return _has_facts_in_order(own, line)
    names = [fact for fact in own if isinstance(fact, str)]
    return _has_facts_in_order(names, line) and _has_facts_in_order(claimed.figures, line)


def _has_facts_in_order(claimed: Iterable[Fact], line: _Line) -> bool:
    """Return whether a sentence has these facts, each once and in order."""
    left = iter((*filter(None, [line.facts.first]), *line.facts.facts))
    return all(any(_agree(fact, each) for each in left) for fact in claimed)


def _has_facts(claimed: Iterable[Fact], there: Iterable[Fact]) -> bool:
    """Return whether a sentence has these facts, each once."""
    left = list(there)
    for fact in claimed:
        match = next((each for each in left if _agree(fact, each, translated=True)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _agree(fact: Fact, other: Fact, *, translated: bool = False) -> bool:
    """Return whether two facts agree; passages may have more precise dates, and translated units differ."""
    if isinstance(fact, Number) and isinstance(other, Number):
        same_unit = fact.unit == other.unit or (translated and not {fact.unit, other.unit} & CODES)
        return fact.value == other.value and same_unit
    if isinstance(fact, Date) and isinstance(other, Date):
        return all(mine in ("", theirs) for mine, theirs in zip(fact.parts, other.parts, strict=True))
    return fact == other


def _lines_of(passage: Passage) -> Iterator[_Line]:
    titles = facts_of(f"{passage.title} {passage.heading}").vocabulary
    before, rows = titles, {row.end for row in passage.rows}
    for start, end in split_around(passage.text, [(row.start, row.end) for row in passage.rows]):
        facts = facts_of(passage.text[start:end])
        yield _Line(facts, titles if end in rows else before)
        before = titles | facts.vocabulary
