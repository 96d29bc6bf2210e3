"""The verdict cache as one DynamoDB table."""

import time
from typing import Any

from selfrag.adapters.faults import aws_faults

SERVICE = "the verdict cache"
# DynamoDB takes items of up to 400 KB, names, key and time included.
LARGEST_BYTES = 400_000


class DynamoVerdicts:
    """The verdict cache as one DynamoDB table with the attributes `key`, `verdict` and `expires_at`."""

    def __init__(self, client: Any, table: str, ttl_days: int) -> None:
        self._client, self._table, self._ttl_seconds = client, table, ttl_days * 86_400

    def get(self, key: str) -> str | None:
        """Return the verdict's JSON text, or None when it is absent or expired."""
        with aws_faults(SERVICE):
            item = self._client.get_item(TableName=self._table, Key={"key": {"S": key}}).get("Item")
        # DynamoDB deletes expired items within days, not at the moment: the reader has to compare.
        if item is None or int(item["expires_at"]["N"]) <= time.time():
            return None
        return str(item["verdict"]["S"])

    def put(self, key: str, verdict: str) -> None:
        """Store a verdict's JSON text for its time to live; one larger than an item may be is not stored."""
        if len(verdict.encode("utf-8", "surrogatepass")) > LARGEST_BYTES:
            return
        expires_at = str(int(time.time()) + self._ttl_seconds)
        item = {"key": {"S": key}, "verdict": {"S": verdict}, "expires_at": {"N": expires_at}}
        with aws_faults(SERVICE):
            self._client.put_item(TableName=self._table, Item=item)
