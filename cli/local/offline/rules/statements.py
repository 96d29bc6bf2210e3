"""What "true" or "no" says, as an answer to a question that states something."""

import re

from selfrag.domain.scores.options import normal

YES, NO = {"true", "yes"}, {"false", "no"}
_NUMBER = re.compile(r"\d[\d.,:]*")


def is_bare(answer: str) -> bool:
    """Whether an answer is but a yes or no."""
    return normal(answer) in YES | NO


def stated(question: str, answer: str) -> str:
    """What an answer claims: a yes what the question states, a no the same of another number, others themselves."""
    said = normal(answer)
    return question if said in YES else _NUMBER.sub("", question) if said in NO else answer
