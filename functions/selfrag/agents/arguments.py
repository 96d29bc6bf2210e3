"""Arguments of tools as clients send them."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


def read_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return a tool's arguments as its schema declares them: null is a default, and a text may be the value's JSON.

    Clients with strict schemas send null for each optional field, and some models write objects and numbers as text.
    """
    return _read(dict(arguments), schema, schema.get("$defs", {}))


def _read(value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    if name := schema.get("$ref", "").rpartition("/")[2]:
        schema = definitions[name]
    kinds = [schema, *schema.get("anyOf", [])]
    if isinstance(value, str) and not any(kind.get("type") == "string" or "enum" in kind for kind in kinds):
        with suppress(ValueError):
            value = json.loads(value)
    properties = schema.get("properties")
    if not isinstance(value, dict) or not properties:
        return value
    required = schema.get("required", ())
    return {
        key: _read(item, properties.get(key, {}), definitions)
        for key, item in value.items()
        if item is not None or key in required or key not in properties
    }
