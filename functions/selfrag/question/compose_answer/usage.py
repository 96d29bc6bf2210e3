"""Usage and cost of a question, from its ledger (pure)."""

from collections.abc import Iterable, Mapping, Sequence

from selfrag.domain.answers import StepUsage, Usage, Waste
from selfrag.domain.calls import ModelCall, Prices, cost_usd
from selfrag.domain.ledger import rounds, wasted
from selfrag.question.compose_answer.messages import Messages
from selfrag.question.compose_answer.outcome import Outcome
from selfrag.question.compose_answer.task import Task


def usage(task: Task, outcome: Outcome, prices: Mapping[str, Prices]) -> Usage:
    """Return the sums of the ledger; a model without a known price makes the cost unknown."""
    calls = [call for entry in task.ledger for call in entry.calls]
    steps = dict.fromkeys(call.step for call in calls)
    begin = min((call.started_at for call in calls), default=0.0)
    by_step = {name: _step_usage([call for call in calls if call.step == name], begin, prices) for name in steps}
    return Usage(
        model_calls=sum(entry.attempts for entry in task.ledger),
        rounds=rounds(task.ledger),
        sequences=sum(entry.sequences for entry in task.ledger),
        repaired_citations=outcome.draft.repaired if outcome.draft else 0,
        cached_verdicts=sum(entry.cached for entry in task.ledger),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cache_read_input_tokens=sum(call.cache_read_input_tokens for call in calls),
        cost_usd=_sum(step.cost_usd for step in by_step.values()),
        waste=_waste(task, prices),
        by_step=by_step,
        warnings=_warnings(task, outcome),
    )


def _step_usage(calls: Sequence[ModelCall], begin: float, prices: Mapping[str, Prices]) -> StepUsage:
    started = min(call.started_at for call in calls)
    return StepUsage(
        model=", ".join(dict.fromkeys(call.model for call in calls)),
        calls=len(calls),
        started=round(started - begin, 3),
        seconds=round(max(call.ended_at for call in calls) - started, 3),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cost_usd=_sum(cost_usd(call, prices) for call in calls),
    )


def _waste(task: Task, prices: Mapping[str, Prices]) -> Waste:
    entries = [entry for entry in task.ledger if wasted(entry, task.queries)]
    calls = [call for entry in entries for call in entry.calls]
    return Waste(
        model_calls=sum(entry.attempts for entry in entries), cost_usd=_sum(cost_usd(call, prices) for call in calls)
    )


def _sum(costs: Iterable[float | None]) -> float | None:
    """Return the sum in dollars; None if one part has no known price, because a wrong sum misleads."""
    known = list(costs)
    return None if None in known else round(sum(cost for cost in known if cost is not None), 6)


def _warnings(task: Task, outcome: Outcome) -> list[str]:
    """Return each warning once: of the steps, of steps without a result, and of missing verdicts."""
    messages = Messages(task.question)
    warnings = [warning for entry in task.ledger if not entry.waste for warning in entry.warnings]
    warnings += [messages("no_result", step=entry.step, error=entry.error or entry.flaw) for entry in task.problems]
    ungraded = sum(verdict.label == "ungraded" for verdict in task.relevance)
    if ungraded:
        warnings.append(messages("ungraded", count=ungraded))
    return list(dict.fromkeys([*warnings, *outcome.notes]))
