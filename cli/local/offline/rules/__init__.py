"""The rules, one module a step, and how a step is recognised: by the shape of the verdict that it asks for."""

from collections.abc import Callable, Mapping
from typing import Any

from cli.local.offline.rules.decide_retrieval import decide_retrieval
from cli.local.offline.rules.fields import fields_of
from cli.local.offline.rules.generate import generate
from cli.local.offline.rules.grade_relevance import grade_relevance
from cli.local.offline.rules.grade_support import grade_support
from cli.local.offline.rules.grade_utility import grade_utility
from cli.local.offline.rules.rewrite_question import rewrite_question
from cli.local.offline.strict import Refused, content_blocks

Rule = Callable[[Mapping[str, Any]], dict[str, Any]]

# The title of a shape tells the step, and a rule has its step's name.
_RULES: dict[str, Rule] = {
    "Retrieval": decide_retrieval,
    "Relevance": grade_relevance,
    "Support": grade_support,
    "Utility": grade_utility,
    "Rewrite": rewrite_question,
}


def answer_of(message: Mapping[str, Any], schema: Any) -> dict[str, Any] | list[dict[str, Any]]:
    """The verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if block["type"] == "search_result"]
        return generate(fields_of(message), results)
    return _rule_for(schema)(fields_of(message))


def step_of(schema: Any) -> str:
    """The step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused."""
    return "generate" if schema is None else _rule_for(schema).__name__


def _rule_for(schema: Any) -> Rule:
    title = schema.get("title") if isinstance(schema, dict) else None
    if title not in _RULES:
        raise Refused(f"no rule is known for this schema; known are those titled {', '.join(_RULES)}")
    return _RULES[title]
