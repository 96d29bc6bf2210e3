"""The fields that a step hands to the model, as its last text block holds them."""

import json
from collections.abc import Mapping

from selfrag_cli.local.stand_in.messages import Refusal, RequestMessage, content_blocks

# The fields of a step's task as JSON has them.
Fields = Mapping[str, object]


def fields_of(message: RequestMessage) -> dict[str, object]:
    """Return the JSON object in a message's last text block; raises Refused if there is none."""
    texts = [block["text"] for block in content_blocks(message) if "text" in block]
    try:
        fields = json.loads(texts[-1]) if texts else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise Refusal("this stand-in answers steps of selfrag only: the last text block must be a JSON object")
    return fields


def text_in(fields: Fields, name: str) -> str:
    """Return a field that must be a text."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise Refusal(f"the field {name} must be a text")
    return value


def texts_in(fields: Fields, name: str) -> list[str]:
    """Return a field that may be left out, or is a list of texts."""
    value = fields.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Refusal(f"the field {name} must be a list of texts")
    return value


def objects_in(fields: Fields, name: str) -> list[dict[str, object]]:
    """Return a field that must be a list of objects."""
    value = fields.get(name)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Refusal(f"the field {name} must be a list of objects")
    return value


def object_in(fields: Fields, name: str) -> dict[str, object]:
    """Return a field that may be left out, or is an object."""
    value = fields.get(name) or {}
    if not isinstance(value, dict):
        raise Refusal(f"the field {name} must be an object")
    return value
