"""Pacing of a task's requests to a model: retries before the deadline, four requests at most.

A retry waits as long as the refusal's `retry-after` says; if that does not fit before the deadline, there is no retry.
Refusals are shared in the deployment: its functions back off together, each with its own jitter.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Semaphore
from typing import Generic, TypeVar

from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded, SelfragError, TemporarilyUnavailable
from selfrag.ports.recent import RecentCalls
from selfrag.runtime.clock import Clock
from selfrag.runtime.deadline import SHORTEST_CALL_SECONDS, STEP_SECONDS

MAX_REQUESTS = 4
# Time kept for the call that follows a wait.
CALL_SECONDS = 1.0
# Deployment-wide backoff after a refusal without a `retry-after`.
FEW_SECONDS = 2.0
_FIRST_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 2.0

T = TypeVar("T")


class RequestFailure(Exception):
    """A request that failed and may be retried; `error` says why.

    `after` is the service's `retry-after` in seconds, None if it names none. `throttled` says that a rate limit
    refused the request.
    """

    def __init__(self, error: TemporarilyUnavailable, after: float | None = None, *, throttled: bool = False) -> None:
        super().__init__(str(error))
        self.error, self.after, self.throttled = error, after, throttled


@dataclass(frozen=True)
class RequestResult(Generic[T]):
    """A reply, or None and the error in its place; the number of requests, and whether one was throttled."""

    value: T | None
    error: SelfragError | None
    requests: int
    throttled: bool


class Pace:
    """The time and the requests of one task.

    `call_seconds` is the timeout of a call, and `step_seconds` the most time of the task. `slots` are those of all
    requests of this process that may be at the model at a time, None for any number.
    """

    def __init__(
        self,
        clock: Clock,
        recent: RecentCalls,
        call_seconds: float,
        deadline_ms: float | None,
        step_seconds: float = STEP_SECONDS,
        slots: Semaphore | None = None,
    ) -> None:
        self._clock, self._recent, self._call_seconds, self._slots = clock, recent, call_seconds, slots
        self._deadline = float("inf") if deadline_ms is None else deadline_ms / 1000
        self._end = min(self._deadline, clock.now() + step_seconds)
        self._requests_left = MAX_REQUESTS
        self._failure: SelfragError | None = None

    def now(self) -> float:
        """Return the seconds since the epoch."""
        return self._clock.now()

    def intervals(self, step: str, model: str) -> tuple[float, ...]:
        """Return the seconds between the last arrivals of a step at its model, this one included."""
        return self._recent.record_call(step, model).intervals

    def ask(self, step: str, model: str, send: Callable[[float], T]) -> RequestResult[T]:
        """Return the reply to a request; `send` is called with a timeout in seconds, again for each retry.

        Raises errors that no retry would fix, and BudgetExceeded before the first request. Afterwards that is an error
        in the reply, which reports the requests that were sent. A retry without a budget ends with the failed request's
        error.
        """
        sent, throttled = 0, False
        error: SelfragError | None = None
        if not self._requests_left:
            error = TemporarilyUnavailable(f"{model} was asked as often as a step may ask")
        else:
            self._hold_back(step, model)
        while error is None:
            try:
                with self._slot():
                    value = send(self._time())
            except RequestFailure as unanswered:
                sent, throttled = sent + 1, throttled or unanswered.throttled
                error = self._wait(step, model, unanswered)
            except DeadlineExceeded as late:
                error = late
            except BudgetExceeded as spent:
                if self._requests_left == MAX_REQUESTS:
                    raise
                error = self._failure or spent
            else:
                self._requests_left -= 1
                self._failure = None
                return RequestResult(value, None, sent + 1, throttled)
        return RequestResult(None, error, sent, throttled)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if self._slots is None:
            yield
            return
        if not self._slots.acquire(timeout=max(0.0, self._end - self._clock.now())):
            raise DeadlineExceeded("no time is left for another call")
        try:
            yield
        finally:
            self._slots.release()

    def _time(self) -> float:
        left = self._end - self._clock.now()
        if left < SHORTEST_CALL_SECONDS:
            raise DeadlineExceeded("no time is left for another call")
        return min(self._call_seconds, left)

    def _wait(self, step: str, model: str, unanswered: RequestFailure) -> SelfragError | None:
        """Wait before a retry, or return the error that ends the step without one."""
        self._requests_left -= 1
        self._failure = unanswered.error
        if unanswered.throttled:
            self._recent.record_refusal(model, FEW_SECONDS if unanswered.after is None else unanswered.after)
        if not self._requests_left:
            return unanswered.error
        seconds = self._backoff() if unanswered.after is None else unanswered.after
        if not self._fits(seconds):
            # DeadlineExceeded if no backoff fits before the deadline, else the service's own error.
            if self._clock.now() + _LONGEST_BACKOFF_SECONDS + CALL_SECONDS <= self._deadline:
                return unanswered.error
            return DeadlineExceeded(f"no time is left for another try: {unanswered.error}")
        self._clock.sleep(seconds)
        self._hold_back(step, model)
        return None

    def _backoff(self) -> float:
        tried = MAX_REQUESTS - self._requests_left
        longest = min(_LONGEST_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2.0 ** (tried - 1))
        return longest * (1 + self._clock.share()) / 2

    def _hold_back(self, step: str, model: str) -> None:
        """Wait out the deployment-wide backoff for this model, if it fits before the deadline."""
        while (patience := self._recent.record_call(step, model).patience) > 0:
            seconds = patience + self._clock.share()
            if not self._fits(seconds):
                return
            self._clock.sleep(seconds)

    def _fits(self, seconds: float) -> bool:
        return self._clock.now() + seconds + CALL_SECONDS <= self._end
