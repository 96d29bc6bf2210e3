"""The form of a strategy: its first pass, and the pass after each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from selfrag.domain.policy import Policy
from selfrag.plan.limits import is_late
from selfrag.plan.passes import Plan
from selfrag.plan.reports import Report
from selfrag.plan.situation import Situation

S = TypeVar("S", bound=Situation)
NO_TIME = "Time or money is used up"


@dataclass(frozen=True)
class Strategy(ABC, Generic[S]):
    """The decisions of one question at one moment, in milliseconds since the epoch; `Known` is its state's type."""

    Known: ClassVar[type[Any]] = Situation

    policy: Policy
    now_ms: float

    @abstractmethod
    def begin(self, known: S) -> tuple[S, Plan]:
        """Return the first pass."""

    @abstractmethod
    def go_on(self, known: S, reports: Sequence[Report]) -> tuple[S, Plan]:
        """Return the pass after these reports."""

    def failed(self, known: S, error: str) -> tuple[S, Plan]:
        """Return the pass after a lost one: the end."""
        return self.compose(known, f"A pass failed ({error})")

    def is_late(self, known: S) -> bool:
        """Return whether time or money is used up."""
        return is_late(known, self.now_ms)

    def compose(self, known: S, why: str) -> tuple[S, Plan]:
        """Return the end: the answer is composed from what is known."""
        return known, Plan(why=f"{why}.", turn=known.turn)
