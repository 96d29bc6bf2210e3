"""The rules, one module a step, and how a step is recognised: by the shape of the verdict that it asks for."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cli.local.offline.messages import Refused, content_blocks
from cli.local.offline.rules.fields import fields_of
from cli.local.offline.rules.generate import generate

Rule = Callable[[Mapping[str, Any]], dict[str, Any]]

# A module that holds a function of its own name is that step's rule; `generate` is asked for text, in no shape.
_MODULES = {name: import_module(f"{__name__}.{name}") for _, name, _ in iter_modules(__path__) if name != "generate"}
_RULES: dict[str, Rule] = {name: getattr(module, name) for name, module in _MODULES.items() if hasattr(module, name)}


def answer_of(message: Mapping[str, Any], schema: Any) -> dict[str, Any] | list[dict[str, Any]]:
    """The verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if block["type"] == "search_result"]
        return generate(fields_of(message), results)
    verdict: dict[str, Any] = _asked_for(_RULES[step_of(schema)](fields_of(message)), schema)
    return verdict


def step_of(schema: Any) -> str:
    """The step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused.

    A shape's title is a word of its step's name: Utility is asked for by `grade_utility`.
    """
    if schema is None:
        return "generate"
    title = str(schema.get("title")).lower() if isinstance(schema, dict) else ""
    for step in _RULES:
        if title in step.split("_"):
            return step
    raise Refused(f"no rule is known for this schema; known are those of {', '.join(_RULES)}")


def _asked_for(verdict: Any, schema: Mapping[str, Any]) -> Any:
    """A verdict in the fields that a schema names and no others, as the service gives it."""
    shapes = [schema, *schema.get("$defs", {}).values()]
    names = {name for shape in shapes for name in shape.get("properties", {})}

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(item) for item in value]
        return {name: kept(part) for name, part in value.items() if name in names} if isinstance(value, dict) else value

    return kept(verdict)
