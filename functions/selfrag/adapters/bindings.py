"""The table of callers: API keys and IAM identities with their collections and actions, and the list of collections.

The part of an item's key before `#` is its kind: `key#ID` is an API key, `principal#ARN` an IAM identity, and
`collection#NAME` a collection. `client#ID`, `group#NAME` and `role#NAME` are reserved for token claims: bindings with
the same attributes, read with one BatchGetItem.
"""

from collections.abc import Collection
from typing import Any, Self, get_args

from pydantic import BaseModel, Field, model_validator

from selfrag.adapters.faults import aws_faults, unreadable_faults
from selfrag.adapters.items import values_of
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.bindings import Action, Binding

_TABLE = "the table of callers"
# DynamoDB's limits of a partition key, and of the items of one BatchGetItem.
_KEY_BYTES, _BATCH = 2048, 100


class _Item(BaseModel):
    collections: set[str] = set()
    all_collections: bool = Field(default=False, strict=True)
    actions: set[str] = {"ask"}

    @model_validator(mode="after")
    def _check_bound(self) -> Self:
        if not self.collections and not self.all_collections:
            raise ValueError("it is bound to no collection")
        return self


class DynamoBindings:
    """Bindings as items: their key `caller`, the sets of strings `collections` and `actions`, and `all_collections`.

    Without `actions` a caller may only ask. Actions that this release does not know give nothing.
    """

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def get(self, caller: str) -> Binding | None:
        """Return the present binding of a caller; None without one.

        Raises Unreadable for an item of another shape: the operator's intention must not be guessed.
        """
        with aws_faults(_TABLE):
            # A key that is taken from a tenant opens nothing from that moment on.
            reply = self._client.get_item(TableName=self._table, Key={"caller": {"S": caller}}, ConsistentRead=True)
        if "Item" not in reply:
            return None
        with unreadable_faults(_TABLE):
            item = _Item.model_validate(values_of(reply["Item"]))
        actions: tuple[Action, ...] = get_args(Action)
        return Binding(tuple(sorted(item.collections)), frozenset(actions) & item.actions, item.all_collections)

    def has_collections(self, collections: Collection[str]) -> bool:
        """Return whether the table has an item for each of these collections; raises TemporarilyUnavailable."""
        keys = [f"collection#{name}" for name in set(collections)]
        if any(len(key.encode()) > _KEY_BYTES for key in keys):
            return False
        batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
        return all(self._has(batch) for batch in batches)

    def _has(self, keys: list[str]) -> bool:
        item_keys = [{"caller": {"S": key}} for key in keys]
        items = {"Keys": item_keys, "ConsistentRead": True, "ProjectionExpression": "caller"}
        with aws_faults(_TABLE):
            reply = self._client.batch_get_item(RequestItems={self._table: items})
        if reply.get("UnprocessedKeys"):
            raise TemporarilyUnavailable(f"{_TABLE} is busy; try again in some seconds.")
        return len(reply["Responses"][self._table]) == len(keys)
