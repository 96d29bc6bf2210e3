"""The limits of a question: model calls and dollars."""

from selfrag.domain.policy import Policy
from selfrag.plan.state import State


def calls(state: State) -> int:
    """Return the number of model calls."""
    return sum(entry.attempts for entry in state.ledger)


def has_room(state: State, policy: Policy, more: int) -> bool:
    """Return whether this many more model calls are allowed."""
    return calls(state) + more <= policy.max_model_calls


def spent_usd(state: State) -> float:
    """Return the cost so far; calls without a known price count as zero."""
    return sum(call.cost_usd or 0.0 for entry in state.ledger for call in entry.calls)


def share_usd(state: State, policy: Policy, part: float) -> float | None:
    """Return this share of the remaining dollars, None without a limit."""
    if policy.max_cost_usd is None:
        return None
    return part * (policy.max_cost_usd - spent_usd(state))


def was_throttled(state: State) -> bool:
    """Return whether a rate limit refused a request to the model."""
    return any(entry.throttled for entry in state.ledger)
