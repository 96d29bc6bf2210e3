"""The remaining time of a question."""

import time

from selfrag.domain.errors import DeadlineExceeded

SHORTEST_CALL_SECONDS = 0.2
# The most time of a step that asks the model, waits included: less than its state's `TimeoutSeconds`, which includes a
# cold start; a test compares the two.
STEP_SECONDS = 26.0
# `MaxDelaySeconds` of the definition's retriers; a test compares the two.
LONGEST_RETRY_WAIT_SECONDS = 4


def time_for_a_call(deadline_ms: float | None, limit: float) -> float:
    """Return the timeout of a call: `limit` seconds, or less if the deadline (ms since the epoch) is near.

    Raises DeadlineExceeded if too little is left for any call.
    """
    if deadline_ms is None:
        return limit
    left = deadline_ms / 1000 - time.time()
    if left < SHORTEST_CALL_SECONDS:
        raise DeadlineExceeded("no time is left for another call")
    return min(limit, left)


def time_for_a_retry(deadline_ms: float | None) -> bool:
    """Return whether the state machine can wait and retry before the deadline."""
    return deadline_ms is None or deadline_ms / 1000 - time.time() > LONGEST_RETRY_WAIT_SECONDS
