"""The stand-in's answer: cited sentences of the search results."""

import re
from collections.abc import Sequence
from dataclasses import replace

from selfrag.ports.model import CitedBlocks, Source, TextBlock
from selfrag.question.generate.annotations import NO_ANSWER
from selfrag.text.east_asian import RUN
from selfrag_cli.local.stand_in.questions import (
    Fields,
    context_of,
    find_missing_names,
    is_about_documents,
    search_words,
)
from selfrag_cli.local.stand_in.quoting import ENOUGH, Quote, QuoteSource, choose_quotes, quotes
from selfrag_cli.local.stand_in.words import holds, letters

# The date at the end of a title is the document's, not a year in its subject.
_DATED = re.compile(r"(?:, (\d{4}-\d\d-\d\d))?$")
ABILITIES = "Hello. I quote sentences from the documents that answer a question, or say that none does."


def generate(fields: Fields, sources: Sequence[Source]) -> list[TextBlock]:
    """Quote the answering sentences with citations; without sources, reply to a greeting."""
    question, previous = fields["question"], fields.get("previous") or {}
    if not sources:
        direct = fields.get("task") == "direct" and not is_about_documents(question, {})
        return [TextBlock(ABILITIES if direct else NO_ANSWER)]
    passages = [_passage(source) for source in sources]
    failed = {letters(claim) for claim in fields.get("failed_claims") or ()}
    if fields.get("task") == "segment":
        selected = _find_next(search_words(question, previous), fields.get("so_far") or "", passages)
    else:
        ranked = choose_quotes(question, passages, context_of(question, previous))
        selected = [quote for quote in ranked if letters(quote.text) not in failed]
    if not selected:
        return [TextBlock(NO_ANSWER)]
    first, *others = (TextBlock(q.text, (CitedBlocks(q.source, q.start, q.end),)) for q in selected)
    # East Asian sentences need no space between them.
    return [first, *(block if RUN.match(block.text) else replace(block, text=f" {block.text}") for block in others)]


def _passage(source: Source) -> QuoteSource:
    title = source.title or source.name
    date = next(filter(None, _DATED.findall(title)), "")
    return QuoteSource(source.name, _DATED.sub("", title), source.blocks, date)


def _find_next(question: str, so_far: str, sources: Sequence[QuoteSource]) -> list[Quote]:
    """Return the best new sentence; if the answer lacks a name, only one with such a name."""
    earlier, missing = letters(so_far), find_missing_names(question, so_far)
    for quote in quotes(question, sources):
        named = any(holds(sources[quote.source].text if not so_far else quote.text, name) for name in missing)
        if quote.share >= ENOUGH and letters(quote.text) not in earlier and (named or not missing):
            return [quote]
    return []
