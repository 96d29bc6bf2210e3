"""The recent calls to a model, as one item in the table of verdicts.

Its key, `calls#MODEL`, is no verdict's: those are hashes. One write records an arrival and returns the earlier ones, so
a call waits for one round trip; a fresh result is reused.
"""

import time
from collections.abc import Callable
from itertools import pairwise
from threading import Lock
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.faults import code_of
from selfrag.ports.recent import Recent
from selfrag.runtime.observability import logger

ARRIVALS = 9
# The list may grow to this length before all but the newest are removed.
_LISTED = 32
# Calls of a step within this time are one arrival.
TOGETHER_SECONDS = 5.0
FRESH_SECONDS = 0.5
# Backoff after the table failed: no call should wait for it again and again.
REST_SECONDS = 30.0
_KEPT_SECONDS = 2 * 86_400

Item = dict[str, Any]


class DynamoCalls:
    """The recent calls of a deployment, with this process's own copy; `now` returns seconds."""

    def __init__(self, client: Any, table: str, now: Callable[[], float] = time.time) -> None:
        self._client, self._table, self._now = client, table, now
        self._arrivals: dict[tuple[str, str], tuple[float, list[float]]] = {}
        self._patience: dict[str, float] = {}
        self._resting_until = 0.0
        self._looking = Lock()

    def record_call(self, step: str, model: str) -> Recent:
        """Record a step's call of a model and return its recent calls; nothing if the table fails."""
        now = self._now()
        with self._looking:  # threads that ask at the same time share one read
            looked, arrivals = self._arrivals.get((step, model), (0.0, []))
            if now - looked > FRESH_SECONDS:
                arrivals = self._arrive(step, model, now)
                self._arrivals[step, model] = (now, arrivals)
        between = [later - earlier for later, earlier in pairwise(arrivals)]
        intervals = tuple(seconds for seconds in between if seconds > 0)
        return Recent(intervals, max(0.0, self._patience.get(model, 0.0) - now))

    def record_refusal(self, model: str, seconds: float) -> None:
        """Record the backoff that a model asks for; the longest one counts."""
        until = self._now() + seconds
        self._be_patient(model, until)
        self._update(
            model,
            "SET patience_until = :until, expires_at = :expires",
            "attribute_not_exists(patience_until) OR patience_until < :until",
            {":until": until, ":expires": round(until) + _KEPT_SECONDS},
        )

    def _arrive(self, step: str, model: str, now: float) -> list[float]:
        noted, item = self._update(
            model,
            "SET #step = list_append(:now, if_not_exists(#step, :none)), expires_at = :expires",
            "attribute_not_exists(#step) OR #step[0] < :recent",
            {":now": [now], ":none": [], ":recent": now - TOGETHER_SECONDS, ":expires": round(now) + _KEPT_SECONDS},
            step,
        )
        self._be_patient(model, _number(item.get("patience_until")))
        arrivals = [_number(arrival) for arrival in item.get(step, {}).get("L", ())]
        if noted and len(arrivals) >= _LISTED:
            # DynamoDB does not cut a list in the write that adds to it.
            old = ", ".join(f"#step[{number}]" for number in range(ARRIVALS, len(arrivals) + 1))
            self._update(model, f"REMOVE {old}", "#step[0] > :before", {":before": 0.0}, step)
        return ([now, *arrivals] if noted else arrivals)[:ARRIVALS]

    def _be_patient(self, model: str, until: float) -> None:
        self._patience[model] = max(until, self._patience.get(model, 0.0))

    def _update(
        self, model: str, update: str, condition: str, values: dict[str, float | list[float]], step: str = ""
    ) -> tuple[bool, Item]:
        """Return whether the condition held, and the earlier item; False and nothing if the table fails."""
        if self._now() < self._resting_until:
            return False, {}
        try:
            was = self._client.update_item(
                TableName=self._table,
                Key={"key": {"S": f"calls#{model}"}},
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues={name: _attribute(value) for name, value in values.items()},
                **({"ExpressionAttributeNames": {"#step": step}} if step else {}),
                ReturnValues="ALL_OLD",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except (BotoCoreError, ClientError) as error:
            if code_of(error) == "ConditionalCheckFailedException":
                return False, error.response.get("Item", {})
            self._resting_until = self._now() + REST_SECONDS
            logger.warning("recent calls are not known", extra={"error": type(error).__name__})
            return False, {}
        return True, was.get("Attributes", {})


def _attribute(value: float | list[float]) -> Item:
    """Return a number to the millisecond, or a list of such; a whole one as an integer, as `expires_at` must be."""
    if isinstance(value, list):
        return {"L": [_attribute(number) for number in value]}
    return {"N": f"{value:.3f}".removesuffix(".000")}


def _number(attribute: Item | None) -> float:
    return float((attribute or {}).get("N", 0.0))
