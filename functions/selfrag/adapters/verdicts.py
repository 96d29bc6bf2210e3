"""The verdict cache as one DynamoDB table."""

import time
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from selfrag.runtime.metrics import count_cache_failure
from selfrag.runtime.observability import logger

# DynamoDB takes items of up to 400 KB, of which the names, the key and the time need a little.
LARGEST_BYTES = 400_000


class DynamoVerdicts:
    """The verdict cache as one DynamoDB table with the attributes `key`, `verdict` and `expires_at`."""

    def __init__(self, client: Any, table: str, ttl_days: int, step: str) -> None:
        self._client, self._table, self._ttl_seconds, self._step = client, table, ttl_days * 86_400, step
        self.failed = False

    def get(self, key: str) -> str | None:
        """The verdict's JSON text; None when it is absent, expired, or the table cannot be read."""
        try:
            item = self._client.get_item(TableName=self._table, Key={"key": {"S": key}}).get("Item")
        except (BotoCoreError, ClientError) as error:
            self._fail(error)
            return None
        # DynamoDB deletes expired items within days, not at the moment: the reader has to compare.
        if item is None or int(item["expires_at"]["N"]) <= time.time():
            return None
        return str(item["verdict"]["S"])

    def put(self, key: str, verdict: str) -> None:
        """Keep a verdict's JSON text until the time to live is over; a failure is noted, not raised.

        What is larger than an item may be is not kept.
        """
        if len(verdict.encode("utf-8", "surrogatepass")) > LARGEST_BYTES:
            return
        expires_at = str(int(time.time()) + self._ttl_seconds)
        item = {"key": {"S": key}, "verdict": {"S": verdict}, "expires_at": {"N": expires_at}}
        try:
            self._client.put_item(TableName=self._table, Item=item)
        except (BotoCoreError, ClientError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failed = True
        count_cache_failure(self._step)
        logger.warning("the verdict cache failed", extra={"error": type(error).__name__})
