"""The recent calls of a deployment to a model."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Recent:
    """Seconds between a step's last arrivals at its model, newest first, and the backoff that the model asks for.

    Calls of one step within a few seconds of each other are one arrival: they run in parallel.
    """

    intervals: tuple[float, ...] = ()
    patience: float = 0.0


class RecentCalls(Protocol):
    """The record that the deployment's functions share; its failures are no errors, it then knows less."""

    def record_call(self, step: str, model: str) -> Recent:
        """Record a step's call of a model and return its recent calls."""

    def record_refusal(self, model: str, seconds: float) -> None:
        """Record that a rate limit refused a request, and the backoff that the model asks for."""
