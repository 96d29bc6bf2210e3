"""The passages that the words of an answer come from, by which Plan tells what a draft has of a rejected one (pure)."""

from collections.abc import Sequence

from selfrag.domain.passages import Evidence
from selfrag.question.generate.citations import source_of
from selfrag.text.words import words_of


def word_sources(answer: str, question: str, passages: Sequence[Evidence]) -> list[list[str]]:
    """Return for each word of an answer the passages that hold it, but for the question's words.

    Of words whose passages include those of another word only the latter counts: if none of these is relevant, that is
    already known. Words that no passage holds are the writer's own.
    """
    held = {passage.passage_id: _shown(passage) for passage in passages}
    own = words_of(answer) - words_of(question)
    holders = {frozenset(name for name, words in held.items() if word in words) for word in own} - {frozenset()}
    return sorted(sorted(names) for names in holders if not any(other < names for other in holders))


def _shown(passage: Evidence) -> set[str]:
    """Return the words of a passage as the writer sees it, with its document's name, title and date."""
    source = source_of(passage)
    return words_of(" ".join([source.name, source.title, "".join(source.blocks)]))
