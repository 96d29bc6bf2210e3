"""Values as DynamoDB writes them, such as {"S": "text"}: the form that items have in the definitions and on disk."""

from collections.abc import Mapping
from typing import Any

Item = dict[str, Any]


def item_of(values: Mapping[str, Any]) -> Item:
    """Return values as an item."""
    return {name: _attribute(value) for name, value in values.items()}


def values_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item's values."""
    return {name: _value(attribute) for name, attribute in item.items()}


def _attribute(value: Any) -> dict[str, Any]:
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case dict():
            return {"M": item_of(value)}
        case _:
            return {"L": [_attribute(item) for item in value]}


def _value(attribute: Mapping[str, Any]) -> Any:
    ((kind, value),) = attribute.items()
    match kind:
        case "NULL":
            return None
        case "N":
            return float(value) if {".", "e", "E"} & set(value) else int(value)
        case "M":
            return values_of(value)
        case "L":
            return [_value(item) for item in value]
        case _:
            return value
