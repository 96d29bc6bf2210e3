"""JSON schemas as structured output takes them: the subset that `anthropic.transform_schema` makes."""

from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = dict[str, object]

# The keywords that a schema of each type may have; the others go into its description.
_ALLOWED = {"object": {"properties", "required"}, "array": {"items"}}
_COMMON = {"$defs", "$ref", "anyOf", "enum", "const", "title", "description", "type"}


@cache
def strict_schema(shape: type[BaseModel]) -> Schema:
    """Return the JSON schema of a shape, without what structured output refuses."""
    return _make_strict(shape.model_json_schema())


def _make_strict(schema: dict[str, Any]) -> Schema:
    kind = schema.get("type")
    allowed = _COMMON | _ALLOWED.get(str(kind), set())
    if schema.get("minItems") in (0, 1):
        allowed.add("minItems")
    strict: Schema = {}
    for name in ("$defs", "properties"):
        if name in schema:
            strict[name] = {key: _make_strict(part) for key, part in schema[name].items()}
    if "anyOf" in schema:
        strict["anyOf"] = [_make_strict(part) for part in schema["anyOf"]]
    if "items" in schema:
        strict["items"] = _make_strict(schema["items"])
    if kind == "object":
        strict["additionalProperties"] = False
    has_values = "enum" in schema or "const" in schema
    plain = allowed - {"$defs", "properties", "anyOf", "items"} - ({"type"} if has_values else set())
    strict |= {name: value for name, value in schema.items() if name in plain}
    rest = {name: value for name, value in schema.items() if name not in allowed | {"additionalProperties"}}
    if rest:
        words = "{" + ", ".join(f"{name}: {value}" for name, value in rest.items()) + "}"
        strict["description"] = "\n\n".join(filter(None, [schema.get("description"), words]))
    return strict
