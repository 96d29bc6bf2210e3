"""Values as DynamoDB writes them, such as {"S": "text"}: the form that items have in the definitions and on disk."""

from collections.abc import Mapping
from typing import Any, TypedDict


class Attribute(TypedDict, total=False):
    """A value under the letters of its type."""

    S: str
    N: str
    BOOL: bool
    NULL: bool
    M: "dict[str, Attribute]"
    L: "list[Attribute]"


Item = dict[str, Attribute]


def item_of(values: Mapping[str, object]) -> Item:
    """Return values as an item."""
    return {name: _attribute(value) for name, value in values.items()}


def values_of(item: Item) -> dict[str, Any]:
    """Return an item's values."""
    return {name: _value(attribute) for name, attribute in item.items()}


def _attribute(value: object) -> Attribute:
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
        case list() | tuple():
            return {"L": [_attribute(item) for item in value]}
    raise TypeError(f"{type(value).__name__} is no type of DynamoDB")


def _value(attribute: Attribute) -> object:
    match attribute:
        case {"NULL": _}:
            return None
        case {"N": number}:
            return float(number) if {".", "e", "E"} & set(number) else int(number)
        case {"M": values}:
            return values_of(values)
        case {"L": items}:
            return [_value(item) for item in items]
        case {"BOOL": flag}:
            return flag
    return attribute["S"]
