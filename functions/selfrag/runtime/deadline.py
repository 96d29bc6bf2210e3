"""The time that a question has left."""

import time

from selfrag.domain.errors import DeadlineExceeded

SHORTEST_CALL_SECONDS = 0.2
# What a step that asks the model takes with all its waits: less than the `TimeoutSeconds` of its state, of which a cold
# start has a part; a test compares the two.
STEP_SECONDS = 26.0
# `MaxDelaySeconds` of the definition's retriers; a test holds the two together.
LONGEST_RETRY_WAIT_SECONDS = 4


def time_for_a_call(deadline_ms: float | None, limit: float) -> float:
    """Seconds that one call may take: `limit`, or less when the deadline (ms since the epoch) is near.

    Raises DeadlineExceeded when too little is left for any call.
    """
    if deadline_ms is None:
        return limit
    left = deadline_ms / 1000 - time.time()
    if left < SHORTEST_CALL_SECONDS:
        raise DeadlineExceeded("no time is left for another call")
    return min(limit, left)


def time_for_a_retry(deadline_ms: float | None) -> bool:
    """Whether the state machine can wait and call again before the deadline."""
    return deadline_ms is None or deadline_ms / 1000 - time.time() > LONGEST_RETRY_WAIT_SECONDS
