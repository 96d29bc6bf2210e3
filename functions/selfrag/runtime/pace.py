"""When a task's requests are sent, and sent again: as the model asks, while there is time, and four at the most.

A refusal that says how long to wait is obeyed, if the deadline allows, and no longer than it says; if there is no time
for it nothing is waited for. What one function is told is noted for all of the deployment: they hold back too, each
a little longer than the next, so that they do not all come at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded, SelfragError, TemporarilyUnavailable
from selfrag.ports.recent import RecentCalls
from selfrag.runtime.clock import Clock
from selfrag.runtime.deadline import SHORTEST_CALL_SECONDS, STEP_SECONDS

MOST_REQUESTS = 4
# What is kept for the call itself when a wait is weighed.
CALL_SECONDS = 1.0
# So long others hold back when the model did not say how long.
FEW_SECONDS = 2.0
_FIRST_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 2.0

T = TypeVar("T")


class Unanswered(Exception):
    """A request brought nothing, and a later one may: `error` says why.

    `after` is for how many seconds the service wants to be left, None if it does not say; `throttled` whether the
    request was one too many.
    """

    def __init__(self, error: TemporarilyUnavailable, after: float | None = None, *, throttled: bool = False) -> None:
        super().__init__(str(error))
        self.error, self.after, self.throttled = error, after, throttled


@dataclass(frozen=True)
class Reply(Generic[T]):
    """What came, None and the error that is why nothing did; how many requests were sent, and if one was too many."""

    value: T | None
    error: SelfragError | None
    requests: int
    throttled: bool


class Pace:
    """The time and the requests of one task: `call_seconds` is the most that one call may take."""

    def __init__(self, clock: Clock, recent: RecentCalls, call_seconds: float, deadline_ms: float | None) -> None:
        self._clock, self._recent, self._call_seconds = clock, recent, call_seconds
        self._deadline = float("inf") if deadline_ms is None else deadline_ms / 1000
        self._end = min(self._deadline, clock.now() + STEP_SECONDS)
        self._requests_left = MOST_REQUESTS

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock.now()

    def intervals(self, step: str, model: str) -> tuple[float, ...]:
        """Seconds between the last arrivals of a step at its model, of which this is one."""
        return self._recent.seen(step, model).intervals

    def ask(self, step: str, model: str, send: Callable[[float], T]) -> Reply[T]:
        """The reply to a request that `send` sends, given the seconds that it may take, as often as needed.

        What no later try would mend is raised, and so is a budget that allows no request at all. A task that has sent
        some has to tell of them.
        """
        sent, throttled = 0, False
        error: SelfragError | None = None
        if not self._requests_left:
            error = TemporarilyUnavailable(f"{model} was asked as often as a step may ask")
        else:
            self._hold_back(step, model)
        while error is None:
            try:
                value = send(self._time())
            except Unanswered as unanswered:
                sent, throttled = sent + 1, throttled or unanswered.throttled
                error = self._waited(step, model, unanswered)
            except DeadlineExceeded as late:
                error = late
            except BudgetExceeded as spent:
                if self._requests_left == MOST_REQUESTS:
                    raise
                error = spent
            else:
                self._requests_left -= 1
                return Reply(value, None, sent + 1, throttled)
        return Reply(None, error, sent, throttled)

    def _time(self) -> float:
        left = self._end - self._clock.now()
        if left < SHORTEST_CALL_SECONDS:
            raise DeadlineExceeded("no time is left for another call")
        return min(self._call_seconds, left)

    def _waited(self, step: str, model: str, unanswered: Unanswered) -> SelfragError | None:
        """Wait until the request may be sent again; or the error that ends the step, at once."""
        self._requests_left -= 1
        if unanswered.throttled:
            self._recent.refused(model, FEW_SECONDS if unanswered.after is None else unanswered.after)
        if not self._requests_left:
            return unanswered.error
        seconds = self._backoff() if unanswered.after is None else unanswered.after
        if not self._fits(seconds):
            return self._ended(unanswered.error)
        self._clock.sleep(seconds)
        self._hold_back(step, model)
        return None

    def _ended(self, error: TemporarilyUnavailable) -> SelfragError:
        """The error of a step that cannot wait: where not even a short wait would fit, time is what is missing."""
        if self._clock.now() + _LONGEST_BACKOFF_SECONDS + CALL_SECONDS <= self._deadline:
            return error
        return DeadlineExceeded(f"no time is left for another try: {error}")

    def _backoff(self) -> float:
        tried = MOST_REQUESTS - self._requests_left
        longest = min(_LONGEST_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2.0 ** (tried - 1))
        return longest * (1 + self._clock.share()) / 2

    def _hold_back(self, step: str, model: str) -> None:
        """Leave the model alone as long as it has asked anyone for, unless that would take all the time there is."""
        while (patience := self._recent.seen(step, model).patience) > 0:
            seconds = patience + self._clock.share()
            if not self._fits(seconds):
                return
            self._clock.sleep(seconds)

    def _fits(self, seconds: float) -> bool:
        return self._clock.now() + seconds + CALL_SECONDS <= self._end
