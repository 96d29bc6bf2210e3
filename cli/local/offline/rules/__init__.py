"""The rules, one module a step, and how a step is recognised: by the shape of the verdict that it asks for."""

from collections.abc import Callable, Mapping
from typing import Any

from cli.local.offline.rules.fields import fields_of
from cli.local.offline.rules.generate import generate
from cli.local.offline.rules.relevance import grade_relevance
from cli.local.offline.rules.retrieve import retrieve
from cli.local.offline.rules.rewrite import rewrite
from cli.local.offline.rules.support import grade_support
from cli.local.offline.rules.utility import grade_utility
from cli.local.offline.strict import Refused, content_blocks

Rule = Callable[[Mapping[str, Any]], dict[str, Any]]

# The first property that a schema has tells the step.
_RULES: dict[str, Rule] = {
    "decision": retrieve,
    "label": grade_relevance,
    "claims": grade_support,
    "score": grade_utility,
    "query": rewrite,
}


def answer_of(message: Mapping[str, Any], schema: Any) -> dict[str, Any] | list[dict[str, Any]]:
    """The verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if block["type"] == "search_result"]
        return generate(fields_of(message), results)
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, rule in _RULES.items():
        if isinstance(properties, dict) and name in properties:
            return rule(fields_of(message))
    raise Refused(f"no rule is known for this schema; known are those with {', '.join(_RULES)}")
