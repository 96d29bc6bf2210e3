"""Records of requests with an Idempotency-Key, as Powertools defines them."""

import time
from typing import Any

from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyItemAlreadyExistsError,
    IdempotencyItemNotFoundError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.datarecord import DataRecord

from selfrag_cli.local.runner.tasks import Item, item_of, values_of
from selfrag_cli.local.stores.tables import REQUESTS, Items

# The fields of a record by attribute.
_FIELDS = {
    "id": "idempotency_key", "status": "status", "expiration": "expiry_timestamp", "data": "response_data",
    "in_progress_expiration": "in_progress_expiry_timestamp", "validation": "payload_hash",
}  # fmt: skip


class LocalRequests(BasePersistenceLayer):
    """Request records, running or completed, with Powertools' DynamoDB attributes."""

    def __init__(self, items: Items) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._items = items

    def _get_record(self, idempotency_key: str) -> DataRecord:
        item = self._items.get(REQUESTS, idempotency_key)
        if item is None:
            raise IdempotencyItemNotFoundError
        return _record(item)

    def _put_record(self, data_record: DataRecord) -> None:
        """Record a running request; raises if it is already running or answered."""

        def begin(stored: Item | None) -> Item | None:
            return None if stored and not _is_over(_record(stored)) else _item(data_record)

        stored = self._items.change(REQUESTS, data_record.idempotency_key, begin)
        if stored and not _is_over(_record(stored)):
            self._validate_payload(data_payload=data_record, stored_data_record=_record(stored))
            raise IdempotencyItemAlreadyExistsError(old_data_record=_record(stored))

    def _update_record(self, data_record: DataRecord) -> None:
        self._items.put(REQUESTS, _item(data_record))

    def _delete_record(self, data_record: DataRecord) -> None:
        self._items.delete(REQUESTS, data_record.idempotency_key)


def _is_over(record: DataRecord) -> bool:
    """Return whether a running request has expired because its process died."""
    ends: Any = record.in_progress_expiry_timestamp
    return record.status == "INPROGRESS" and ends is not None and ends < 1000 * time.time()


def _item(record: DataRecord) -> Item:
    return item_of({name: value for name, field in _FIELDS.items() if (value := getattr(record, field))})


def _record(item: Item) -> DataRecord:
    return DataRecord(**{_FIELDS[name]: value for name, value in values_of(item).items()})
