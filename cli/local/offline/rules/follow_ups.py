"""A question that rests on the one before it, and both together."""

import re
from collections.abc import Mapping
from typing import Any

from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.wants import wanted
from cli.local.offline.text.words import distinct, plain, units

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


def is_follow_up(question: str) -> bool:
    """Whether a question seems to rest on the one before it: short, and beginning or pointing back like one."""
    question = plain(question)
    if len(question) > _LONGEST_FOLLOW_UP:
        return False
    if _BEGINS_AS_FOLLOW_UP.match(re.sub(r"^\W+", "", question)):
        return True
    return bool(_POINTS_BACK.search(question)) and len(list(distinct(units(question)))) <= _MOST_UNITS


def in_full(question: str, previous: Mapping[str, Any]) -> str:
    """A question as it stands, or, for a follow-up, together with the one before it."""
    earlier = previous.get("question")
    if not isinstance(earlier, str) or not earlier or not is_follow_up(question):
        return question
    if any(unit.kind == "name" for unit in units(question)):
        for name in [unit.text for unit in units(earlier) if unit.kind == "name"]:
            earlier = re.sub(rf"\b{re.escape(name)}\b", "", earlier, flags=re.IGNORECASE)
    # What is wanted is read from the last part that asks.
    return f"{question} {earlier}" if wanted(question) in ("other", "yes_or_no") else f"{earlier} {question}"
