"""Wording for the stand-in's rules, whose results are not judgements."""

from collections.abc import Iterable, Mapping, Sequence

WORD_FOR_WORD = "Found word for word in the source. No model checked whether it answers the question."
NOT_WORD_FOR_WORD = "Not found word for word in the source. No model checked it."
GREY = "bright_black"


def is_by_rule(verdict: Mapping[str, object]) -> bool:
    """Return whether a verdict was made by rule."""
    return verdict.get("judged_by") == "rule"


def support_by_rule(passage_ids: Iterable[Sequence[str]]) -> str:
    """Describe whether each claim occurs verbatim in a passage."""
    return WORD_FOR_WORD if all(passage_ids) else NOT_WORD_FOR_WORD
