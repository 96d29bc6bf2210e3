"""A better query: the core of a long question, then other words for the same things, then its rarest words."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cli.local.offline.rules.fields import object_in, text_in, texts_in
from cli.local.offline.rules.follow_ups import in_full
from cli.local.offline.text.vocabulary import SAME
from cli.local.offline.text.wants import asking_part
from cli.local.offline.text.words import distinct, phrases, plain, units

_LONG_WINDED, _ENOUGH, _RAREST, _MOST_CHARACTERS = 12, 3, 3, 300


def rewrite_question(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A query that was not tried yet; one that was tried if there is none, and the step then says so."""
    question = in_full(text_in(fields, "question"), object_in(fields, "previous"))
    tried = {_plain(query) for query in texts_in(fields, "queries")}
    for reason, query in _queries(question):
        if query and _plain(query) not in tried:
            return {"reason": reason, "query": query[:_MOST_CHARACTERS]}
    return {"reason": "There is no other query.", "query": question.strip()[:_MOST_CHARACTERS] or "?"}


def _queries(question: str) -> Iterator[tuple[str, str]]:
    core = asking_part(question)
    telling = [unit for unit in distinct(units(core)) if unit.weight >= 1]
    if len(telling) >= _ENOUGH and (len(question.split()) > _LONG_WINDED or core != question.strip()):
        yield "The part that asks, without what leads to it.", _joined(_words(core) + _expanded(core))
    expanded = _expanded(question)
    if expanded:
        yield "Other words for the same things.", _joined(_words(question) + expanded)
    yield "The words that tell most.", _joined(_words(question))
    found = sorted(distinct(units(question)), key=lambda unit: (-unit.weight, -len(unit.text)))
    yield "The rarest words only.", _joined([unit.text for unit in found[:_RAREST]])


def _words(text: str) -> list[str]:
    return [unit.text for unit in distinct(units(text))]


def _expanded(text: str) -> list[str]:
    """For each thing that has other names, two of them."""
    named = phrases(text)
    others = [[word for word in group if word != named[group[0]]] for group in SAME if group[0] in named]
    return [word for names in others for word in names[:2]]


def _joined(words: list[str]) -> str:
    return " ".join(dict.fromkeys(words))


def _plain(query: str) -> str:
    return re.sub(r"[\W_]+", " ", plain(query).casefold()).strip()
