"""Task implementations: Lambdas as Python functions, and item tables."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from selfrag.domain.errors import SelfragError
from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.lane import Service

if TYPE_CHECKING:
    from selfrag_cli.local.stores.tables import Items

LambdaHandler = Callable[[Any, Any], Any]
_PREFIX = "arn:aws:states:::"


# Typed values of DynamoDB by name, such as {"id": {"S": "a"}}.
Attribute = dict[str, Any]
Item = dict[str, Attribute]


def services(handlers: Mapping[str, LambdaHandler], tables: "Items | None") -> dict[str, Service]:
    """Return the implementation of each Resource; without tables, that of Lambda alone."""
    invocation: dict[str, Service] = {f"{_PREFIX}lambda:invoke": partial(_invoke, handlers)}
    if tables is None:
        return invocation
    return {
        **invocation,
        f"{_PREFIX}dynamodb:getItem": partial(_get_item, tables),
        f"{_PREFIX}dynamodb:putItem": partial(_put_item, tables),
    }


def _invoke(handlers: Mapping[str, LambdaHandler], arguments: Mapping[str, Any]) -> object:
    name = arguments["FunctionName"]
    try:
        result = handlers[name](arguments["Payload"], SimpleNamespace(function_name=name))
        return {"StatusCode": 200, "Payload": json.loads(json.dumps(result))}
    except Exception as error:  # Lambda reports every handler error by name and message
        cause = {"errorType": type(error).__name__, "errorMessage": str(error)}
        raise Failure(type(error).__name__, json.dumps(cause), "TaskFailed") from error


@contextmanager
def _store_failures() -> Iterator[None]:
    try:
        yield
    except SelfragError as error:
        raise Failure("DynamoDB.InternalServerErrorException", str(error), "TaskFailed") from error


def _get_item(tables: "Items", arguments: Mapping[str, Any]) -> object:
    with _store_failures():
        item = tables.get_item(arguments["TableName"], arguments["Key"])
    attributes = [name.strip() for name in arguments["ProjectionExpression"].split(",")]
    return {} if item is None else {"Item": {name: item[name] for name in attributes if name in item}}


def _put_item(tables: "Items", arguments: Mapping[str, Any]) -> object:
    with _store_failures():
        tables.put_item(arguments["TableName"], arguments["Item"])
    return {}


def item_of(values: Mapping[str, object]) -> Item:
    """Convert values to an item."""
    return {name: _attribute(value) for name, value in values.items()}


def values_of(item: Item) -> dict[str, Any]:
    """Convert an item to values."""
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
