"""The table of callers: API keys and IAM identities with the collections and the actions that they are bound to."""

from typing import Annotated, Any, get_args

from pydantic import BaseModel, Field

from selfrag.adapters.faults import aws_faults, readable
from selfrag.adapters.items import values_of
from selfrag.ports.bindings import Action, Binding


class _Item(BaseModel):
    collections: Annotated[set[str], Field(min_length=1)]
    actions: set[str] = {"ask"}


class DynamoBindings:
    """Bindings as items with the attributes `caller`, `collections` and `actions`; the last two are sets of strings.

    Without `actions` a caller may only ask. Actions that this release does not know give nothing.
    """

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def of(self, caller: str) -> Binding | None:
        """Return the present binding of a caller; None without one.

        Raises Unreadable for an item of another shape: the operator's intention must not be guessed.
        """
        with aws_faults("the table of callers"):
            # A key that is taken from a tenant opens nothing from that moment on.
            reply = self._client.get_item(TableName=self._table, Key={"caller": {"S": caller}}, ConsistentRead=True)
        if "Item" not in reply:
            return None
        with readable("the table of callers"):
            item = _Item.model_validate(values_of(reply["Item"]))
        actions: tuple[Action, ...] = get_args(Action)
        return Binding(tuple(sorted(item.collections)), frozenset(actions) & item.actions)
