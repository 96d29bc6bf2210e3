"""Retries of a state that has failed, as its Retry says."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from selfrag_cli.local.runner.failures import Failure


class Retries:
    """The retries of one visit to a state; of its retriers, the first that names an error decides."""

    def __init__(self, retriers: Sequence[Mapping[str, Any]]) -> None:
        self._retriers, self._made = retriers, Counter[int]()

    def backoff(self, failure: Failure) -> float | None:
        """Return the seconds before the next try; None if there is none."""
        for number, retrier in enumerate(self._retriers):
            if failure.is_among(retrier["ErrorEquals"]):
                self._made[number] += 1
                return _seconds(retrier, self._made[number] - 1)
        return None


def _seconds(retrier: Mapping[str, Any], made: int) -> float | None:
    if made >= retrier.get("MaxAttempts", 3):
        return None
    seconds = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** made
    longest = min(seconds, retrier.get("MaxDelaySeconds", seconds))
    return random.uniform(0, longest) if retrier.get("JitterStrategy") == "FULL" else longest  # noqa: S311
