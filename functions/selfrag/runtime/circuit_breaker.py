"""A circuit breaker: a service that has failed twice is left alone for a minute, by this process."""

from collections.abc import Callable
from threading import Lock

from selfrag.runtime.observability import logger

MAX_FAILURES = 2
PAUSE_SECONDS = 60.0


class CircuitBreaker:
    """Counts the failures of a service since its last reply; `now` is the time in seconds."""

    def __init__(self, service: str, now: Callable[[], float]) -> None:
        self._service, self._now, self._lock = service, now, Lock()
        self._failures, self._paused_until = 0, 0.0
        self._cause = ""

    @property
    def open_cause(self) -> str:
        """Return the cause of the last failure while the service is left alone, "" while it is asked."""
        with self._lock:
            return self._cause if self._now() < self._paused_until else ""

    def record_reply(self) -> None:
        """Forget the failures."""
        with self._lock:
            self._failures = 0

    def record_failure(self, cause: str) -> None:
        """Count a failure; the last of so many begins a pause, with a warning in the log."""
        with self._lock:
            self._failures, self._cause = self._failures + 1, cause
            if self._failures < MAX_FAILURES or self._now() < self._paused_until:
                return
            self._failures, self._paused_until = 0, self._now() + PAUSE_SECONDS
        logger.warning(f"{self._service} is not asked for {PAUSE_SECONDS:.0f} seconds", extra={"cause": cause})
