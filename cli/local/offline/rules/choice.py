"""A closed set: the option that stands in the sentence that answers, or whether a passage says what is stated."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.fields import objects_in, text_in
from cli.local.offline.rules.grade_support import FULL, share_said
from cli.local.offline.rules.statements import NO, YES, stated
from cli.local.offline.text.scoring import Source, ranked, relevance
from cli.local.offline.text.words import distinct, keys_of, units
from selfrag.domain.scores.options import normal
from selfrag.text.sentences import split_sentences

# Options may stand in the question, a line for each: "A: 150 EUR".
_LISTED = re.compile(r"^\s*\(?(\w)\)?[:.)]\s*(.+)$", re.MULTILINE)
_BEST = 3


def choice(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The number of an option, or 0 where the passages, or a sum, say nothing of any."""
    listed = {letter.casefold(): text for letter, text in _LISTED.findall(text_in(fields, "question"))}
    question = _LISTED.sub("", text_in(fields, "question")).strip() or text_in(fields, "question")
    options = {int(one["option"]): text_in(one, "text") for one in objects_in(fields, "options")}
    passages = objects_in(fields, "passages")
    names = {normal(text): number for number, text in options.items()}
    if names.keys() & YES and names.keys() & NO:
        said = _of_statement(question, passages)
        return {"option": next((number for name, number in names.items() if name in said), 0)}
    return {"option": _named(question, {n: listed.get(normal(text), text) for n, text in options.items()}, passages)}


def _of_statement(question: str, passages: Sequence[Mapping[str, Any]]) -> set[str]:
    """The names of yes where a passage says what is stated, those of no where it says so of another number."""
    texts = [f"{passage.get('title', '')}\n{text_in(passage, 'text')}" for passage in passages]
    for said in (YES, NO):
        claim = stated(question, min(said))
        if any(share_said(question, claim, text) >= FULL for text in texts):
            # Without a number of its own a no would be said of whatever is true.
            return said if said is YES or claim != question else set()
    return set()


def _named(question: str, options: Mapping[int, str], passages: Sequence[Mapping[str, Any]]) -> int:
    """The option that stands in the first of the best sentences that hold one; the fullest of several."""
    sum_of = worked_out(question)
    if sum_of:
        return next((number for number, text in options.items() if normal(text) == normal(sum_of[1])), 0)
    sources = [Source("", p.get("title", ""), tuple(split_sentences(text_in(p, "text")))) for p in passages]
    candidates = ranked(question, sources)
    if not candidates or relevance(candidates[0]) < 0.5:
        return 0
    for candidate in candidates[:_BEST]:
        keys = keys_of(units(candidate.sentence.text))
        held = {number: len(found) for number, text in options.items() if (found := _keys(text)) and found <= keys}
        if held:
            return max(held, key=lambda number: (held[number], -number))
    return 0


def _keys(text: str) -> set[str]:
    return {key for unit in distinct(units(text)) for key in unit.keys}
