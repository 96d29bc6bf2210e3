"""Task implementations: Lambdas as Python functions, and item tables."""

import json
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Protocol, TypedDict, TypeVar

from selfrag.domain.errors import SelfragError
from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.lane import Service

LambdaHandler = Callable[[Any, Any], Any]
A = TypeVar("A")
_PREFIX = "arn:aws:states:::"
_STORE_FAILED = "DynamoDB.InternalServerErrorException"


class Attribute(TypedDict, total=False):
    """A typed DynamoDB value."""

    S: str
    N: str
    BOOL: bool
    NULL: bool
    M: "dict[str, Attribute]"
    L: "list[Attribute]"


Item = dict[str, Attribute]


class LambdaArguments(TypedDict):
    """The function to invoke and its event."""

    FunctionName: str
    Payload: object


class GetItemArguments(TypedDict):
    """The table, item key and requested attributes."""

    TableName: str
    Key: Item
    ProjectionExpression: str


class PutItemArguments(TypedDict):
    """The table and the new item."""

    TableName: str
    Item: Item


class ItemTables(Protocol):
    """The tables of a definition, with DynamoDB items; raises SelfragError."""

    def get_item(self, table: str, key: Item) -> Item | None:
        """Return the item with this key, or None."""

    def put_item(self, table: str, item: Item) -> None:
        """Write an item."""


def services(handlers: Mapping[str, LambdaHandler], tables: ItemTables) -> dict[str, Service]:
    """Return the implementation of each Resource."""
    return {
        f"{_PREFIX}lambda:invoke": lambda arguments: _invoke(handlers, arguments),
        f"{_PREFIX}dynamodb:getItem": lambda arguments: _use_table(_got, tables, arguments),
        f"{_PREFIX}dynamodb:putItem": lambda arguments: _use_table(_put, tables, arguments),
    }


def _invoke(handlers: Mapping[str, LambdaHandler], arguments: LambdaArguments) -> object:
    name = arguments["FunctionName"]
    try:
        result = handlers[name](arguments["Payload"], SimpleNamespace(function_name=name))
        return {"StatusCode": 200, "Payload": json.loads(json.dumps(result))}
    except Exception as error:  # Lambda reports every handler error by name and message
        cause = {"errorType": type(error).__name__, "errorMessage": str(error)}
        raise Failure(type(error).__name__, json.dumps(cause), "TaskFailed") from error


def _use_table(call: Callable[[ItemTables, A], object], tables: ItemTables, arguments: A) -> object:
    try:
        return call(tables, arguments)
    except SelfragError as error:
        raise Failure(_STORE_FAILED, str(error), "TaskFailed") from error


def _got(tables: ItemTables, arguments: GetItemArguments) -> object:
    item = tables.get_item(arguments["TableName"], arguments["Key"])
    attributes = [name.strip() for name in arguments["ProjectionExpression"].split(",")]
    return {} if item is None else {"Item": {name: item[name] for name in attributes if name in item}}


def _put(tables: ItemTables, arguments: PutItemArguments) -> object:
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
