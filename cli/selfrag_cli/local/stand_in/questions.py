"""Questions as the rules read them: greetings and sums, follow-ups, and the names that a text lacks."""

import re

from selfrag_cli.local.stand_in.arithmetic import worked_out
from selfrag_cli.local.stand_in.fields import Fields
from selfrag_cli.local.stand_in.words import GREETINGS, content_words, holds, names, plain, units

_MOST_WORDS_OF_A_FOLLOW_UP = 2


def is_about_documents(question: str, previous: Fields) -> bool:
    """Return whether a question is neither a greeting nor a sum."""
    if worked_out(question) or re.sub(r"[\W_]+", " ", plain(question)).strip().casefold() in GREETINGS:
        return False
    return bool(units(question) or previous.get("answer"))


def is_follow_up(question: str) -> bool:
    """Return whether a question is too short to stand alone."""
    return len(content_words(question)) <= _MOST_WORDS_OF_A_FOLLOW_UP


def in_full(question: str, previous: Fields) -> str:
    """Return a question, a short follow-up with the one before it; its names take the place of earlier ones."""
    earlier = previous.get("question")
    if not isinstance(earlier, str) or not earlier or not is_follow_up(question):
        return question
    for name in names(earlier) if names(question) else ():
        earlier = earlier.replace(name, "")
    return f"{earlier} {question}"


def lacking(question: str, so_far: str) -> list[str]:
    """Return the names of a question that a text does not hold."""
    return [name for name in names(question) if not holds(so_far, name)]
