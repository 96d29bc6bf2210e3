"""Retrieve: small talk and sums need no search, a follow-up may stay with its evidence, all else is searched."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.fields import object_in, text_in
from cli.local.offline.rules.talk import asks_about_the_assistant, is_small_talk
from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.words import distinct, plain, units

Decision = Literal["yes", "no", "continue"]

_LONGEST_FOLLOW_UP, _MOST_UNITS = 90, 4

_BEGINS_AS_FOLLOW_UP = compiled(
    words(
        """and | what about | how about | but | also | or | why | then | so | what if | same for
        | ok(?:ay)?,? (?:and|but)"""
    ),
    either(
        "それ | では | じゃあ | その | もし | なぜ | どうして | でも | また | あと | ちなみに | そして | ほかに | 他に"
    ),
)
_POINTS_BACK = compiled(
    words("it | its | those | these | they | them | their | that | this")
    + r"(?! (?:year|month|week|page|document|company|office|system)\b)",
    either("それ | これ | その | この場合"),
)
_ASKS_FOR_SEVERAL = compiled(
    words("compared? | comparison | difference | differs? | versus | vs | both | than | respectively | in total"),
    either("比べ | 比較 | 違い | 両方 | それぞれ"),
)


def decide_retrieval(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on whether a question needs a search."""
    question = text_in(fields, "question")
    has_previous = bool(object_in(fields, "previous").get("answer"))
    decision, reason = _decision(question, has_previous)
    complexity = "complex" if _ASKS_FOR_SEVERAL.search(plain(question)) else "simple"
    return {"reason": reason, "decision": decision, "complexity": complexity}


def is_follow_up(question: str) -> bool:
    """Whether a question seems to rest on the one before it: short, and beginning or pointing back like one."""
    question = plain(question)
    if len(question) > _LONGEST_FOLLOW_UP:
        return False
    if _BEGINS_AS_FOLLOW_UP.match(re.sub(r"^\W+", "", question)):
        return True
    return bool(_POINTS_BACK.search(question)) and len(list(distinct(units(question)))) <= _MOST_UNITS


def _decision(question: str, has_previous: bool) -> tuple[Decision, str]:
    if is_small_talk(question):
        return "no", "Small talk needs no search."
    if worked_out(question):
        return "no", "A sum needs no search."
    if asks_about_the_assistant(question):
        return "no", "A question about the assistant needs no search."
    if has_previous and is_follow_up(question):
        return "continue", "The question is short and points back to the answer before it."
    return "yes", "The question asks for facts, so the documents are searched."
