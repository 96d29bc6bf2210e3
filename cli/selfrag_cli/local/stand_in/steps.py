"""Steps by their requests: the shape of the verdict that one asks for says which rule answers."""

from collections.abc import Mapping
from typing import Any

from selfrag_cli.local.stand_in.answers import generate
from selfrag_cli.local.stand_in.fields import fields_of
from selfrag_cli.local.stand_in.messages import Refused, content_blocks
from selfrag_cli.local.stand_in.rules import RULES


def answer_of(message: Mapping[str, Any], schema: Any) -> Any:
    """Return the verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if block["type"] == "search_result"]
        return generate(fields_of(message), results)
    return _asked_for(RULES[step_of(schema)](fields_of(message)), schema)


def step_of(schema: Any) -> str:
    """Return the step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused.

    A shape's title is a word of its step's name: Utility is asked for by `grade_utility`.
    """
    if schema is None:
        return "generate"
    title = str(schema.get("title")).lower() if isinstance(schema, dict) else ""
    for step in RULES:
        if title in step.split("_"):
            return step
    raise Refused(f"no rule is known for this schema; known are those of {', '.join(RULES)}")


def _asked_for(verdict: Any, schema: Mapping[str, Any]) -> Any:
    """Return a verdict in the fields that a schema names and no others, as the service gives it."""
    named = {name for shape in (schema, *schema.get("$defs", {}).values()) for name in shape.get("properties", {})}

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(item) for item in value]
        return {name: kept(part) for name, part in value.items() if name in named} if isinstance(value, dict) else value

    return kept(verdict)
