"""The table of callers: the id of an API key, or the ARN of an IAM identity, and the collections that it may ask."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from selfrag.adapters.faults import aws_faults, readable
from selfrag.adapters.items import values_of


class _Binding(BaseModel):
    collections: Annotated[set[str], Field(min_length=1)]


class DynamoBindings:
    """Bindings as items with the attributes `caller` and `collections`, a set of strings."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def of(self, caller: str) -> tuple[str, ...] | None:
        """Return the collections that a caller is bound to, sorted; None for a caller without a binding.

        Raises Unreadable for an item of another shape: the operator's intention must not be guessed.
        """
        with aws_faults("the table of callers"):
            # A key that is taken from a tenant opens nothing from that moment on.
            found = self._client.get_item(TableName=self._table, Key={"caller": {"S": caller}}, ConsistentRead=True)
        if "Item" not in found:
            return None
        with readable("the table of callers"):
            return tuple(sorted(_Binding.model_validate(values_of(found["Item"])).collections))
