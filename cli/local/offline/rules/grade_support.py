"""IsSup: a claim is supported by a passage that holds its words and all of its numbers, or those of a total.

This finds facts that are missing, and no contradictions: "is allowed" and "is not allowed" have the same words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cli.local.offline.rules.fields import objects_in, text_in
from cli.local.offline.rules.notices import without_notice
from cli.local.offline.rules.statements import stated
from cli.local.offline.text.reading import sentences_of
from cli.local.offline.text.totals import is_total_asked_for
from cli.local.offline.text.words import Unit, distinct, keys_of, units
from selfrag.text.sentences import split_sentences

FULL, _PARTIAL = 0.85, 0.45


def grade_support(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on an answer, sentence by sentence."""
    question, answer = text_in(fields, "question"), without_notice(text_in(fields, "answer"))
    passages = [
        (int(passage.get("number", order)), f"{passage.get('title', '')}\n{text_in(passage, 'text')}")
        for order, passage in enumerate(objects_in(fields, "passages"), start=1)
    ]
    claims = [sentence.strip() for sentence in split_sentences(answer)] or [answer]
    return {"claims": [_judged(question, claim, passages) for claim in claims]}


def _judged(question: str, claim: str, passages: Sequence[tuple[int, str]]) -> dict[str, Any]:
    share, number = max(
        ((share_said(question, stated(question, claim), text), -number) for number, text in passages), default=(0.0, 0)
    )
    support = "full" if share >= FULL else "partial" if share >= _PARTIAL else "none"
    # A claim that is backed in part is reworded from what backs it; what no passage holds is searched for.
    missing = _subject(claim) if support == "none" else ""
    return {"claim": claim, "support": support, "passages": [] if support == "none" else [-number], "missing": missing}


def _subject(claim: str) -> str:
    """What a claim speaks of: its content words, and no number, for that may be what is wrong."""
    return " ".join(unit.text for unit in distinct(units(claim)) if unit.kind != "number")


def share_said(question: str, claim: str, text: str) -> float:
    """The share of a claim's words that a text holds; a number that is not there leaves at most half of it."""
    sentences = (sentence.text for sentence in sentences_of(tuple(split_sentences(text))))
    if claim.strip(" .。") in text or is_total_asked_for(question, claim, sentences):
        return 1.0
    asked = list(distinct(units(claim)))
    keys = keys_of(units(text))
    whole = sum(unit.weight for unit in asked)
    if not whole:
        return 0.0
    if _numbers(asked) - keys:
        return min(0.5, sum(unit.weight for unit in asked if unit.kind != "number" and unit.keys <= keys) / whole)
    return sum(unit.weight * len(unit.keys & keys) / len(unit.keys) for unit in asked) / whole


def _numbers(asked: Sequence[Unit]) -> set[str]:
    return {key for unit in asked if unit.kind == "number" for key in unit.keys}
