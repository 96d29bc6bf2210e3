"""Tables of DynamoDB in memory, fast enough for a hundred thousand items: the calls of the intake's definition."""

import re
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
from typing import Any

from selfrag_cli.local.runner.failures import Failure

Item = dict[str, dict[str, str]]
# A position in an index: its sort value, and the item's range key.
Place = tuple[str, str]
REFUSED = "DynamoDB.ConditionalCheckFailedException"


class ItemTables:
    """Items by table, hash key and range key; an index is sorted by one attribute, which an item may lack."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], dict[str, Item]] = defaultdict(dict)
        self._sorted: dict[tuple[str, str], list[Place]] = defaultdict(list)

    def update(self, arguments: Any) -> Any:
        """UpdateItem."""
        where, key = self._place(arguments)
        item = self._checked(where, key, arguments)
        changed = {**arguments["Key"], **item}
        for name, expression in _assignments(arguments["UpdateExpression"]).items():
            value = None if expression is None else _value(expression, item, arguments["ExpressionAttributeValues"])
            if value is None:
                changed.pop(name, None)
            else:
                changed[name] = value
        self._put(where, key, changed)
        return {"Attributes": changed} if arguments.get("ReturnValues") == "ALL_NEW" else {}

    def delete(self, arguments: Any) -> Any:
        """DeleteItem."""
        where, key = self._place(arguments)
        self._checked(where, key, arguments)
        self._put(where, key, None)
        return {}

    def query(self, arguments: Any) -> Any:
        """Query of a table, or of an index by `turn`."""
        values = arguments["ExpressionAttributeValues"]
        hash_value, *first = re.findall(r":\w+", arguments["KeyConditionExpression"])
        where = arguments["TableName"], values[hash_value]["S"]
        items = self.items[where]
        if "IndexName" not in arguments:
            return {"Items": [items[key] for key in sorted(items)]}
        places = self._sorted[where]
        start = bisect_left(places, (values[first[0]]["S"], ""))
        return {"Items": [items[key] for _, key in places[start : start + arguments["Limit"]]]}

    def _place(self, arguments: Any) -> tuple[tuple[str, str], str]:
        hash_key, range_key = arguments["Key"].values()
        return (arguments["TableName"], hash_key["S"]), range_key["S"]

    def _checked(self, where: tuple[str, str], key: str, arguments: Any) -> Item:
        item = self.items[where].get(key, {})
        condition = arguments.get("ConditionExpression")
        if condition and not _holds(condition, item, arguments["ExpressionAttributeValues"]):
            raise Failure(REFUSED, "The conditional request failed", "TaskFailed")
        return item

    def _put(self, where: tuple[str, str], key: str, item: Item | None) -> None:
        places, before = self._sorted[where], self.items[where].get(key, {})
        turn, turn_before = (item or {}).get("turn"), before.get("turn")
        if turn != turn_before:
            if turn_before:
                places.pop(bisect_left(places, (turn_before["S"], key)))
            if turn:
                insort(places, (turn["S"], key))
        if item is None:
            self.items[where].pop(key, None)
        else:
            self.items[where][key] = item


def _value(expression: str, item: Item, values: Mapping[str, dict[str, str]]) -> dict[str, str]:
    stored = re.fullmatch(r"if_not_exists\((\w+), (:\w+)\)", expression)
    return item.get(stored[1], values[stored[2]]) if stored else values[expression]


@cache
def _assignments(expression: str) -> dict[str, str | None]:
    """Return what an UpdateExpression sets each attribute to, None where it removes one."""
    setting, _, removing = expression.removeprefix("SET ").partition("REMOVE ")
    pairs = re.findall(r"(\w+) = (if_not_exists\([^)]*\)|:\w+)", setting)
    return {**dict(pairs), **dict.fromkeys(filter(None, removing.strip().split(", ")))}


def _holds(condition: str, item: Item, values: Mapping[str, dict[str, str]]) -> bool:
    def compare(name: str, sign: str, value: str) -> bool:
        if name not in item:
            return False  # comparisons with missing values are false
        (kind, text), (other_kind, other) = *item[name].items(), *values[value].items()
        if kind != other_kind:
            return sign == "<>"
        return _SIGNS[sign](*((int(text), int(other)) if kind == "N" else (text, other)))

    return bool(eval(_compiled(condition), {"item": item, "compare": compare}))


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: left == right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
}


@cache
def _compiled(condition: str) -> CodeType:
    """Return a ConditionExpression in Python's own words."""
    text = re.sub(r"attribute_not_exists\((\w+)\)", r"'\1' not in item", condition)
    text = re.sub(r"attribute_exists\((\w+)\)", r"'\1' in item", text)
    text = re.sub(r"(\w+) (=|<>|<) (:\w+)", r"compare('\1', '\2', '\3')", text)
    return compile(text.replace(" AND ", " and ").replace(" OR ", " or "), "<condition>", "eval")
