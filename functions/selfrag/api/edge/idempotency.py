"""Idempotency of requests with an `Idempotency-Key`, by Powertools."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.utilities.idempotency import (
    BasePersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyItemNotFoundError,
    IdempotencyPersistenceLayerError,
    IdempotencyValidationError,
)

from selfrag.api.edge.problems import RETRY_AFTER, ProblemError
from selfrag.domain.errors import TemporarilyUnavailable

KEPT_SECONDS = 86_400
_PREFIX = "ask"
_LOOK_AGAIN_SECONDS = 0.25
_MILLISECONDS_TO_REPLY = 2000


def once(
    work: Callable[[], str],
    *,
    caller: str,
    collections: Sequence[str],
    key: str,
    request: Mapping[str, object],
    store: BasePersistenceLayer,
    context: Any,
) -> str:
    """Run `work`, which returns a question's id, or return the id of the caller's earlier request with this key.

    Callers with other collections are different: a laptop's server has no caller names, and must not show a question of
    one collection where another is served. Repeats wait for the first request while the Lambda may run. Raises
    ProblemError (409) if the key belongs to another request, or if the first one takes too long.
    """
    config = IdempotencyConfig(
        event_key_jmespath="key",
        payload_validation_jmespath="request",
        expires_after_seconds=KEPT_SECONDS,
        hash_function="sha256",
        lambda_context=context,
    )
    first_only = idempotent_function(
        lambda payload: work(),
        data_keyword_argument="payload",
        persistence_store=store,
        config=config,
        key_prefix=_PREFIX,
    )
    payload = {"key": _hash(caller, sorted(collections), key), "request": request}
    while True:
        try:
            return str(first_only(payload=payload))
        except IdempotencyValidationError:
            raise ProblemError(
                HTTPStatus.CONFLICT,
                "This Idempotency-Key was used for another request.",
                "Use a new key for each request, and the same one only to repeat it.",
            ) from None
        except IdempotencyAlreadyInProgressError:
            if context.get_remaining_time_in_millis() < _MILLISECONDS_TO_REPLY:
                raise ProblemError(
                    HTTPStatus.CONFLICT,
                    "The first request with this Idempotency-Key is still being answered.",
                    "Repeat the request, with the same key, in some seconds.",
                    RETRY_AFTER,
                ) from None
            time.sleep(_LOOK_AGAIN_SECONDS)  # DynamoDB has no way to wait for an item
        except IdempotencyPersistenceLayerError as error:
            raise TemporarilyUnavailable("The request cannot be recorded just now.") from error


def record_key(caller: str, collections: Sequence[str], key: str) -> str:
    """Return the key under which Powertools stores the record of a request with this `Idempotency-Key`."""
    return f"{_PREFIX}#{hashlib.sha256(json.dumps(_hash(caller, sorted(collections), key)).encode()).hexdigest()}"


def forget(record: str, question_id: str, store: BasePersistenceLayer) -> None:
    """Delete the record of a question's request, unless the key was used for another question since."""
    try:
        stored = store._get_record(record)  # what each store of Powertools has to implement
    except IdempotencyItemNotFoundError:
        return
    if stored.response_data == json.dumps(question_id):
        store._delete_record(stored)


def _hash(*parts: str | Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
