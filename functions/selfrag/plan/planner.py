"""The planner: from a request, the state and the last pass's reports to the next pass."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from selfrag.domain.answers import Pass
from selfrag.domain.ledger import Entry
from selfrag.domain.policy import Policy
from selfrag.domain.questions import Filters, Weights
from selfrag.plan.adaptive import Adaptive
from selfrag.plan.candidates import Candidates
from selfrag.plan.corrective import Corrective
from selfrag.plan.follow_ups import earlier_turn
from selfrag.plan.naive import Naive
from selfrag.plan.passes import Plan, PlannedStep
from selfrag.plan.reports import Report, entry_of
from selfrag.plan.segments import Segments
from selfrag.plan.self_rag import SelfRag
from selfrag.plan.situation import Brief, Situation
from selfrag.plan.strategy import Strategy

STRATEGIES: dict[str, type[Strategy[Any]]] = {
    "self_rag": SelfRag,
    "naive": Naive,
    "corrective": Corrective,
    "adaptive": Adaptive,
    "candidates": Candidates,
    "segments": Segments,
}


def policy_of(given: Mapping[str, Any]) -> Policy:
    """Return the policy with its strategy's defaults; its values were checked when the question came in."""
    plain = Policy(strategy=given.get("strategy", "self_rag"), generator=given.get("generator", "claude"))
    values = {name: value for name, value in given.items() if name in Policy.model_fields}
    weights = Weights.model_validate(values.pop("weights", {}))
    return Policy.model_construct(**{**dict(plain), **values, "weights": weights})


class Request(BaseModel):
    """A question as the workflow got it; `previous` is the id of the one before it, "" for none."""

    question: str
    collections: list[str] = []
    filters: Filters = Filters()
    policy: dict[str, Any] = {}
    previous: str = ""


def first_pass(request: Request, began_ms: float) -> tuple[Situation, Plan]:
    """Return the state of a new question, and its first pass; a follow-up reads the earlier answer first.

    `began_ms` counts from the epoch, as all times here.
    """
    policy = policy_of(request.policy)
    strategy = STRATEGIES[policy.strategy](policy, began_ms)
    deadline_ms = began_ms + 1000 * policy.deadline_seconds
    known = strategy.Known(
        brief=Brief(
            question=request.question,
            collections=request.collections,
            deadline_ms=deadline_ms,
            cache=policy.cache,
        ),
        strategy=policy.strategy,
        min_utility=policy.min_utility,
        filters=request.filters,
    )
    if not request.previous:
        return _noted(*strategy.begin(known))
    recall = PlannedStep(step="RecallAnswer", id=request.previous)
    return _noted(known, Plan(why="Read the earlier question and its answer.", steps=[recall]))


def next_pass(
    request: Request, told: Mapping[str, Any], reports: Sequence[Report], now_ms: float
) -> tuple[Situation, Plan]:
    """Return the state with the last pass's reports, and the next pass."""
    policy = policy_of(request.policy)
    strategy = STRATEGIES[policy.strategy](policy, now_ms)
    return after(request, strategy, strategy.Known.model_validate(told), reports)


def after(request: Request, strategy: Strategy[Any], known: Any, reports: Sequence[Report]) -> tuple[Situation, Plan]:
    """Return the same for values in place of JSON."""
    failed = next((report for report in reports if report.step == "RunSteps"), None)
    if failed:
        lost = entry_of(failed, known.turn)
        return _noted(*strategy.failed(known.noted([lost]), str(failed.error)))
    recalled = next((report for report in reports if report.step == "RecallAnswer"), None)
    if recalled:
        known = _recalled(request, known, recalled, strategy.now_ms)
        return _noted(*strategy.begin(known))
    return _noted(*strategy.go_on(known, reports))


def _recalled(request: Request, known: Situation, report: Report, now_ms: float) -> Situation:
    turn, evidence, warnings = earlier_turn(report, request.collections, now_ms)
    # The answer stands without the earlier one, so a failure is no more than a warning.
    entry = Entry(step=report.step, warnings=warnings)
    brief = known.brief.model_copy(update={"previous": turn})
    return known.noted([entry]).but(brief=brief, previous_relevance=evidence)


def _noted(known: Situation, plan: Plan) -> tuple[Situation, Plan]:
    """Return both, with the pass among all passes."""
    made = Pass(why=plan.why, steps=list(dict.fromkeys(step.step for step in plan.steps)))
    return known.but(passes=[*known.passes, made]), plan
