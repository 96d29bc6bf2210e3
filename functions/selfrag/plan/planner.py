"""The planner: request, state and reports in, next pass out."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from selfrag.domain.answers import Exchange, Pass, Turn
from selfrag.domain.ledger import Entry
from selfrag.domain.policy import Policy
from selfrag.domain.questions import Filters, Weights
from selfrag.domain.steps import RecallAnswerParameters
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.plan.candidates import CandidatesStrategy
from selfrag.plan.corrective import Corrective
from selfrag.plan.loop import Naive
from selfrag.plan.passes import Plan, PlannedStep
from selfrag.plan.reports import PassReport, RecallAnswerReport, Report, entry_of, select_reports
from selfrag.plan.segments import Segments
from selfrag.plan.self_rag import Adaptive, SelfRag
from selfrag.plan.state import QuestionBrief, State
from selfrag.plan.strategy import Strategy
from selfrag.text.relative_dates import has_relative_date

STRATEGIES: dict[str, type[Strategy[Any]]] = {
    "self_rag": SelfRag,
    "naive": Naive,
    "corrective": Corrective,
    "adaptive": Adaptive,
    "candidates": CandidatesStrategy,
    "segments": Segments,
}
GUARDED = "The guardrail did not let the request pass."
UNREADABLE = "The earlier answer could not be read, so the question stands alone."
NOT_FOUND = "The earlier question was not found, so this one stands alone."


def policy_of(fields: Mapping[str, Any]) -> Policy:
    """Return the policy with its strategy's defaults; values were validated on arrival."""
    plain = Policy(strategy=fields.get("strategy", "self_rag"))
    values = {name: value for name, value in fields.items() if name in Policy.model_fields}
    weights = Weights.model_validate(values.pop("weights", {}))
    return Policy.model_construct(**{**dict(plain), **values, "weights": weights})


class QuestionRequest(BaseModel):
    """A question as the workflow received it, with the earlier question's id or "", or the client's `history`."""

    question: str
    collections: list[str] = []
    filters: Filters = Filters()
    policy: dict[str, Any] = {}
    previous: str = ""
    history: list[Exchange] = []

    @property
    def turn(self) -> Turn:
        """Return the last exchange of the history with the one before it; it comes without evidence."""
        *before, last = [Exchange(), *self.history[-2:]]
        return Turn(question=last.question, answer=last.answer, before=before[-1] if len(before) > 1 else None)


def first_pass(request: QuestionRequest, began_ms: float, *, guarded: bool = False) -> tuple[State, Plan]:
    """Return the initial state and pass; a follow-up first reads the earlier answer.

    `began_ms` counts from the epoch, like all times here. A `guarded` request runs no steps.
    """
    policy = policy_of(request.policy)
    strategy = STRATEGIES[policy.strategy](policy, began_ms)
    deadline_ms = began_ms + 1000 * policy.deadline_seconds
    state = strategy.state_type(
        brief=QuestionBrief(
            question=request.question,
            collections=request.collections,
            deadline_ms=deadline_ms,
            cache=policy.cache,
            previous=request.turn,
            today=_today(request.question, began_ms) or _today(request.turn.question, began_ms),
        ),
        strategy=policy.strategy,
        min_utility=policy.min_utility,
        filters=request.filters,
    )
    if guarded:
        return _record_pass(state.replace(guarded="request"), Plan(why=GUARDED))
    if not request.previous:
        return _record_pass(*strategy.begin(state))
    recall = PlannedStep(task=RecallAnswerParameters(), id=request.previous)
    return _record_pass(state, Plan(why="Read the earlier question and its answer.", steps=[recall]))


def next_pass(
    request: QuestionRequest, state: Mapping[str, Any], reports: Sequence[Report], now_ms: float
) -> tuple[State, Plan]:
    """Return the updated state and the next pass."""
    policy = policy_of(request.policy)
    strategy = STRATEGIES[policy.strategy](policy, now_ms)
    return advance(request, strategy, strategy.state_type.model_validate(state), reports)


def advance(
    request: QuestionRequest, strategy: Strategy[Any], state: State, reports: Sequence[Report]
) -> tuple[State, Plan]:
    """Return the updated state and the next pass, from parsed values."""
    if lost := select_reports(reports, PassReport):
        state = state.add_entries([entry_of(lost[0], state.turn)])
        return _record_pass(*strategy.end_failed(state, str(lost[0].error)))
    if recalled := select_reports(reports, RecallAnswerReport):
        state = _add_earlier_turn(state, recalled[0], request.collections, strategy.now_ms)
        return _record_pass(*strategy.begin(state))
    return _record_pass(*strategy.go_on(state, reports))


def _add_earlier_turn(state: State, report: RecallAnswerReport, collections: Collection[str], now_ms: float) -> State:
    """Add the earlier turn and its evidence verdicts, or a warning without one.

    The question needs access to all collections of the earlier answer; otherwise it seems expired. A missing earlier
    turn is only a warning.
    """
    if report.result is None:
        return state.add_entries([Entry(step=report.step, warnings=[UNREADABLE])])
    stored = report.result.item
    # DynamoDB deletes expired items within days, not immediately.
    if (
        stored is None
        or stored.answer is None
        or not stored.collections
        or not set(stored.collections) <= set(collections)
        or 1000 * stored.expires_at <= now_ms
    ):
        return state.add_entries([Entry(step=report.step, warnings=[NOT_FOUND])])
    before = stored.turn_before if stored.turn_before.answer else None
    turn = Turn(question=stored.question, answer=stored.answer, before=before)
    evidence = [
        RelevanceVerdict(passage_id=item.passage_id, relevant=True, score=item.score, label="relevant", cached=True)
        for item in stored.evidence
    ]
    today = state.brief.today or _today(turn.question, now_ms)
    brief = state.brief.replace(previous=turn, today=today)
    return state.add_entries([Entry(step=report.step)]).replace(brief=brief, previous_relevance=evidence)


def _today(question: str, now_ms: float) -> str:
    """Return today's date if a question has a relative date, else ""."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat() if has_relative_date(question) else ""


def _record_pass(state: State, plan: Plan) -> tuple[State, Plan]:
    following = Pass(why=plan.why, steps=list(dict.fromkeys(step.step for step in plan.steps)))
    return state.replace(passes=[*state.passes, following]), plan
