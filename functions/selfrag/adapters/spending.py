"""The daily cap on the cost of questions, as items of the requests table.

`spending#DAY` (UTC) is the sum of spent and reserved amounts, in millionths of a dollar. `reservation#ID` is a
question's share of it until settled. Lost writes and crashes leave too much reserved until the day ends, never too
little.
"""

import time
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.items import serialize, update_item, values_of

_MILLIONTHS = 1_000_000
_KEPT_SECONDS = 2 * 86_400
_TABLE = "the table of requests"


class DynamoSpending:
    """The dollars of all questions of a day; its client must not retry, for an addition must not be made twice."""

    def __init__(self, client: Any, table: str, daily_max_usd: float) -> None:
        self._client, self._table, self.daily_max_usd = client, table, daily_max_usd

    def reserve(self, question_id: str, usd: float, now: float) -> bool:
        """Reserve the most that a question may cost; False, without a write, if the cap of the day leaves less."""
        day, expiration = time.strftime("%Y-%m-%d", time.gmtime(now)), int(now) + _KEPT_SECONDS
        amount, cap = round(usd * _MILLIONTHS), round(self.daily_max_usd * _MILLIONTHS)
        update = "SET expiration = :expiration ADD committed :amount"
        condition = "attribute_not_exists(committed) OR committed <= :room"
        values = {":expiration": expiration, ":amount": amount, ":room": cap - amount}
        with aws_faults(_TABLE):
            reserved = amount <= cap and self._update(day, update, condition, values)
            if reserved:
                reservation = serialize({"day": day, "amount": amount, "expiration": expiration})
                self._client.put_item(TableName=self._table, Item=_key("reservation", question_id) | reservation)
        return reserved

    def settle(self, question_id: str, usd: float) -> None:
        """Replace the reservation of a question by its cost; the second time, or without a reservation, do nothing."""
        with aws_faults(_TABLE):
            # Concurrent deletions: only one of them returns the item.
            reply = self._client.delete_item(
                TableName=self._table, Key=_key("reservation", question_id), ReturnValues="ALL_OLD"
            )
            if reservation := values_of(reply.get("Attributes", {})):
                change = round(usd * _MILLIONTHS) - int(reservation["amount"])
                update, condition = "ADD committed :change", "attribute_exists(committed)"
                self._update(reservation["day"], update, condition, {":change": change})

    def _update(self, day: str, update: str, condition: str, values: dict[str, int]) -> bool:
        return update_item(self._client, self._table, _key("spending", day), update, condition, values, {})


def _key(kind: str, name: str) -> dict[str, Any]:
    return {"id": {"S": f"{kind}#{name}"}}
