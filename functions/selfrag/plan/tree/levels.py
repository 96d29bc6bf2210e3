"""The limits of a tree, checked before a level begins: no level is cut in the middle."""

from collections.abc import Sequence

from selfrag.domain.policy import Policy
from selfrag.domain.scores.shown import Stopped
from selfrag.plan.limits import calls, spent_usd
from selfrag.plan.tree.situation import Ahead, Live, Tree

# Calls of a sentence: IsRel, the text and IsSup.
OF_A_SENTENCE = ("GradeRelevance", "Generate", "GradeSupport")


def stopped_by(known: Tree, policy: Policy, live: Sequence[Live], now_ms: float) -> Stopped:
    """Return the limit that leaves no room for another level, "" if there is room.

    The dearest calls so far tell what a level may cost, the longest level how long it may take.
    """
    by_selfrag, width = policy.generator == "selfrag", len(live) * policy.top_k
    undecided = sum(path.decision is None for path in live)
    bound = 1 if by_selfrag else 3 * width + undecided + policy.beam
    sequences = sum(entry.sequences for entry in known.ledger)
    if known.level > policy.max_segments:
        return "depth"
    if calls(known) + bound > policy.max_model_calls:
        return "calls"
    if by_selfrag and sequences + width > policy.max_sequences:
        return "sequences"
    if policy.max_cost_usd is not None and _dearest_level(known, policy, live) > policy.max_cost_usd:
        return "cost"
    return "deadline" if now_ms + known.longest_ms >= known.brief.deadline_ms else ""


def _dearest_level(known: Tree, policy: Policy, live: Sequence[Live]) -> float:
    # The root has decided by now, but counts as undecided.
    undecided = sum(path.decision is None or known.level == 1 for path in live)
    sentence = sum(max(_costs(known, step), default=0.0) for step in OF_A_SENTENCE)
    decision, grade = (max(_costs(known, step), default=0.0) for step in ("DecideRetrieval", "GradeRelevance"))
    return spent_usd(known) + undecided * decision + len(live) * policy.top_k * sentence + policy.beam * grade


def ahead_of(known: Tree, policy: Policy, live: Sequence[Live]) -> Ahead:
    """Return the speculative work of a level: only as much as leaves room for all that may follow without it."""
    if policy.speculate == "off" or policy.generator == "selfrag":
        return ""
    after = (policy.max_segments - known.level) * policy.beam
    if not _fits(known, policy, live, after, 0):
        return ""
    more = max(0, len(live) * policy.top_k - policy.beam)
    return "decide" if after and _fits(known, policy, live, after, more) else "write"


def _fits(known: Tree, policy: Policy, live: Sequence[Live], after: int, more: int) -> bool:
    asks = after + sum(path.decision is None for path in live) + more
    sentences = (len(live) + after) * policy.top_k
    if calls(known) + asks + 3 * sentences + policy.beam > policy.max_model_calls:
        return False
    if policy.max_cost_usd is None:
        return True
    dollars = asks * _price(known, "DecideRetrieval") + policy.beam * _price(known, "GradeUtility")
    dollars += sentences * sum(_price(known, step) for step in OF_A_SENTENCE)
    return spent_usd(known) + dollars <= policy.max_cost_usd


def _price(known: Tree, step: str) -> float:
    """Return the dearest call of a step, or of all steps if it made none."""
    return max(_costs(known, step) or _costs(known), default=0.0)


def _costs(known: Tree, step: str = "") -> list[float]:
    entries = [entry for entry in known.ledger if step in ("", entry.step)]
    return [call.cost_usd for entry in entries for call in entry.calls if call.cost_usd is not None]
