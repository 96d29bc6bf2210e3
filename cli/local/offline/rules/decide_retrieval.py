"""Retrieve: small talk and sums need no search, a follow-up may stay with its evidence, all else is searched."""

from collections.abc import Mapping
from typing import Any, Literal

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.fields import object_in, text_in
from cli.local.offline.rules.follow_ups import in_full, is_follow_up
from cli.local.offline.rules.growing import decision_after
from cli.local.offline.rules.talk import asks_about_the_assistant, is_small_talk
from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.words import plain

Decision = Literal["yes", "no", "continue"]

_ASKS_FOR_SEVERAL = compiled(
    words("compared? | comparison | difference | differs? | versus | vs | both | than | respectively | in total"),
    either("比べ | 比較 | 違い | 両方 | それぞれ"),
)


def decide_retrieval(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on whether a question needs a search, or how the answer goes on that stands `so_far`."""
    question = text_in(fields, "question")
    if fields.get("so_far"):
        return decision_after(question, fields, text_in(fields, "so_far"))
    has_previous = bool(object_in(fields, "previous").get("answer"))
    decision, reason = _decision(question, has_previous)
    complexity = "complex" if _ASKS_FOR_SEVERAL.search(plain(question)) else "simple"
    query = in_full(question, object_in(fields, "previous")) if decision == "yes" else ""
    return {"reason": reason, "decision": decision, "complexity": complexity, "query": query}


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
