"""Interface of a strategy: the first pass and each next one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from selfrag.domain.ledger import is_out_of_budget
from selfrag.domain.policy import Policy
from selfrag.plan.passes import Plan
from selfrag.plan.reports import Report
from selfrag.plan.state import State

S = TypeVar("S", bound=State)
NO_TIME = "Time or money is used up"


class Strategy(ABC, Generic[S]):
    """A question's decisions at one moment, in milliseconds since the epoch."""

    state_type: type[S]

    def __init__(self, policy: Policy, now_ms: float) -> None:
        self.policy, self.now_ms = policy, now_ms

    @abstractmethod
    def begin(self, state: S) -> tuple[S, Plan]:
        """Return the first pass."""

    @abstractmethod
    def go_on(self, state: S, reports: Sequence[Report]) -> tuple[S, Plan]:
        """Return the pass after these reports."""

    def end_failed(self, state: S, error: str) -> tuple[S, Plan]:
        """End after a failed pass."""
        return self.compose(state, f"A pass failed ({error})")

    def is_late(self, state: S) -> bool:
        """Return whether time or budget is used up."""
        return self.now_ms >= state.brief.deadline_ms or is_out_of_budget(state.ledger)

    def compose(self, state: S, why: str) -> tuple[S, Plan]:
        """End: compose the answer from the state."""
        return state, Plan(why=f"{why}.", turn=state.turn)
