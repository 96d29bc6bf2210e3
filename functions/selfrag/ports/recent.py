"""What a deployment knows of its own recent calls to a model."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Recent:
    """Seconds between the last arrivals of a step at its model, newest first, and for how long the model is to be left.

    Calls of one step within a few seconds of each other are one arrival: they run side by side.
    """

    intervals: tuple[float, ...] = ()
    patience: float = 0.0


class RecentCalls(Protocol):
    """What the deployment's functions tell each other; no failure of it is an error, it then knows less."""

    def seen(self, step: str, model: str) -> Recent:
        """Note that a step calls a model now, and give what is known."""

    def refused(self, model: str, seconds: float) -> None:
        """Note that a model refused a request for being one too many, and wants to be left for so long."""
