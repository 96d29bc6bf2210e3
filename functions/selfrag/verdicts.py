"""The verdict cache in DynamoDB: content-addressed, open on failure.

A key is the SHA-256 of what was judged and how, so a verdict is found again only for the same
texts, model, prompt and shape. Who may see a passage is decided at retrieval, not here.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.metrics import count_cache_failure
from selfrag.observability import logger
from selfrag.settings import settings

CACHE_FAILED = "The verdict cache could not be used; the verdicts were made anew."


def cache_key(*, step: str, model: str, prompt_version: str, shape: Mapping[str, Any], texts: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, over canonical JSON of everything that a verdict depends on."""
    what = {"step": step, "model": model, "prompt": prompt_version, "shape": shape, "texts": texts}
    canonical = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class VerdictCache(Protocol):
    """Where graded verdicts are kept; `failed` tells whether a call to it failed."""

    failed: bool

    def get(self, key: str) -> str | None:
        """The verdict's JSON text, or None."""

    def put(self, key: str, verdict: str) -> None:
        """Keep a verdict's JSON text."""


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
        """Keep a verdict's JSON text until the time to live is over; a failure is noted, not raised."""
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


def verdict_cache(step: str) -> DynamoVerdicts:
    """The verdict cache of this deployment, for one step's verdicts."""
    config = settings()
    return DynamoVerdicts(_client(), config.verdicts_table, config.verdict_ttl_days, step)


@cache
def _client() -> Any:
    # A slow cache must not cost more than the verdict that it saves.
    patience = Config(connect_timeout=1, read_timeout=1, retries={"total_max_attempts": 2})
    return boto3.client("dynamodb", config=patience)
