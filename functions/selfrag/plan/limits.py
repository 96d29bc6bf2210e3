"""The limits of a question: its deadline, its calls to the model and its dollars."""

from selfrag.domain.ledger import is_out_of_budget
from selfrag.domain.policy import Policy
from selfrag.plan.situation import Situation


def is_late(known: Situation, now_ms: float) -> bool:
    """Return whether the deadline has passed, or the budget is spent."""
    return now_ms >= known.brief.deadline_ms or is_out_of_budget(known.ledger)


def calls(known: Situation) -> int:
    """Return how often the model was asked."""
    return sum(entry.attempts for entry in known.ledger)


def has_room(known: Situation, policy: Policy, more: int) -> bool:
    """Return whether so many more calls to the model may be made."""
    return calls(known) + more <= policy.max_model_calls


def spent_usd(known: Situation) -> float:
    """Return what the calls cost so far; one without a known price counts nothing."""
    return sum(call.cost_usd or 0.0 for entry in known.ledger for call in entry.calls)


def share_usd(known: Situation, policy: Policy, part: float) -> float | None:
    """Return this part of the dollars that are left, None without a limit."""
    if policy.max_cost_usd is None:
        return None
    return part * (policy.max_cost_usd - spent_usd(known))


def was_throttled(known: Situation) -> bool:
    """Return whether a rate limit refused a request to the model."""
    return any(entry.throttled for entry in known.ledger)
