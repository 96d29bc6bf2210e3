"""The response: status, answer, citations, verdicts, path and cost, from what the workflow gathered (pure)."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from selfrag.domain.answers import (
    Citation,
    ExecutionLink,
    Reflection,
    Response,
    RetrieveReflection,
    Status,
    StepUsage,
    Usage,
)
from selfrag.domain.calls import ModelCall, Prices, cost_usd
from selfrag.domain.errors import HINTS
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict


class Draft(BaseModel):
    """An answer and what the graders said of it; `direct` means that it was written without a search."""

    answer: str = ""
    citations: list[Citation] = []
    direct: bool = False
    cut: bool = False
    support: SupportVerdict = SupportVerdict(level="ungraded")
    utility: UtilityVerdict = UtilityVerdict(score=None)


class Problem(BaseModel):
    """A step that got no result: its name, and the error's class name."""

    step: str
    error: str


class Task(BaseModel):
    """Everything that the workflow gathered; `best` is the best checked answer, `draft` the last one written."""

    id: str
    question: str = ""
    best: Draft = Draft()
    draft: Draft = Draft()
    min_utility: int = 3
    late: bool = False
    retrieval: RetrievalVerdict
    relevance: list[RelevanceVerdict] = []
    path: list[str] = []
    queries: list[str] = []
    calls: list[ModelCall] = []
    model_calls: int = 0
    rounds: int = 0
    cached_verdicts: int = 0
    warnings: list[str] = []
    problems: list[Problem] = []
    execution_arn: str = ""


def compose(task: Task, prices: Mapping[str, Prices], console_links: bool) -> Response:
    """Choose what goes out and say how sure it is; an unsupported or useless answer never does."""
    chosen = _chosen(task)
    status = _status(task, chosen)
    support, utility = (chosen.support, chosen.utility) if chosen else (None, None)
    if chosen is None and task.draft.answer:
        # The answer was withheld; its verdicts say why.
        support, utility = task.draft.support, task.draft.utility
    return Response(
        id=task.id,
        status=status,
        answer=chosen.answer if chosen else _apology(task, status),
        citations=chosen.citations if chosen else [],
        reflection=Reflection(
            retrieve=RetrieveReflection(decision=task.retrieval.decision, reason=task.retrieval.reason),
            relevance=task.relevance,
            support=None if _is_direct(task, chosen) else support,
            utility=utility,
        ),
        path=task.path,
        queries=task.queries,
        usage=_usage(task, chosen, prices),
        execution=ExecutionLink(arn=task.execution_arn, console_url=_console_url(task.execution_arn, console_links)),
    )


def _is_direct(task: Task, chosen: Draft | None) -> bool:
    return (chosen or task.draft).direct


def _chosen(task: Task) -> Draft | None:
    if task.best.answer:
        return task.best
    if task.draft.answer and _may_go_out(task.draft, task.min_utility):
        return task.draft
    return None


def _may_go_out(draft: Draft, min_utility: int) -> bool:
    useless = draft.utility.score is not None and draft.utility.score < min_utility
    return draft.support.level != "no_support" and not useless


def _status(task: Task, chosen: Draft | None) -> Status:
    if chosen is not None:
        supported = chosen.direct or chosen.support.level == "fully_supported"
        useful = chosen.utility.score is not None and chosen.utility.score >= task.min_utility
        return "answered" if supported and useful and not chosen.cut else "partial"
    if _out_of_time(task):
        return "partial"
    return "failed" if _broken(task) else "abstained"


def _out_of_time(task: Task) -> bool:
    """Whether the deadline, or a step's own look at it, ended the question."""
    return task.late or any(problem.error == "DeadlineExceeded" for problem in task.problems)


def _broken(task: Task) -> bool:
    """Whether a fault, and not the documents, is why there is no answer."""
    decisive = any(problem.step in ("Retrieve", "Generate") for problem in task.problems)
    all_ungraded = bool(task.relevance) and all(verdict.label == "ungraded" for verdict in task.relevance)
    return decisive or all_ungraded


def _apology(task: Task, status: Status) -> str:
    if status == "partial":
        return (
            "The time for this question ran out before an answer was ready. Nothing was checked, so nothing is claimed."
        )
    if status == "failed":
        kinds = [problem.error for problem in task.problems if problem.error in HINTS]
        hint = HINTS[kinds[-1]] if kinds else "Look at the trace of the execution."
        steps = ", ".join(dict.fromkeys(problem.step for problem in task.problems)) or "GradeRelevance"
        return f"The question could not be answered because a step failed: {steps}. {hint}"
    searched = "; ".join(f'"{query}"' for query in task.queries) or "nothing"
    return f"Not found in the documents. Searched for: {searched}."


def _usage(task: Task, chosen: Draft | None, prices: Mapping[str, Prices]) -> Usage:
    steps = dict.fromkeys(call.step for call in task.calls)
    by_step = {name: _step_usage([call for call in task.calls if call.step == name], prices) for name in steps}
    return Usage(
        model_calls=task.model_calls,
        rounds=task.rounds,
        cached_verdicts=task.cached_verdicts,
        input_tokens=sum(call.input_tokens for call in task.calls),
        output_tokens=sum(call.output_tokens for call in task.calls),
        cache_read_input_tokens=sum(call.cache_read_input_tokens for call in task.calls),
        cost_usd=_sum(step.cost_usd for step in by_step.values()),
        by_step=by_step,
        warnings=_warnings(task, chosen),
    )


def _step_usage(calls: Sequence[ModelCall], prices: Mapping[str, Prices]) -> StepUsage:
    return StepUsage(
        model=calls[-1].model,
        calls=len(calls),
        seconds=round(max(call.ended_at for call in calls) - min(call.started_at for call in calls), 3),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cost_usd=_sum(cost_usd(call, prices) for call in calls),
    )


def _sum(costs: Iterable[float | None]) -> float | None:
    """The sum in dollars; None as soon as one part has no known price, for a wrong sum misleads."""
    known = list(costs)
    return None if None in known else round(sum(cost for cost in known if cost is not None), 6)


def _warnings(task: Task, chosen: Draft | None) -> list[str]:
    found = list(task.warnings)
    found += [f"{p.step} gave no result ({p.error})." for p in task.problems]
    ungraded = sum(verdict.label == "ungraded" for verdict in task.relevance)
    if ungraded:
        found.append(f"{ungraded} passages could not be graded and were not used.")
    if chosen is not None:
        if not chosen.direct and chosen.support.level == "ungraded":
            found.append("Not checked: whether the passages support the answer.")
        if chosen.utility.score is None:
            found.append("Not checked: whether the answer is of use.")
        if chosen.cut:
            found.append("The answer was cut at the model's length limit.")
    if _out_of_time(task) and _status(task, chosen) != "answered":
        found.append("The deadline was reached.")
    return list(dict.fromkeys(found))


def _console_url(arn: str, console_links: bool) -> str | None:
    parts = arn.split(":")
    if not console_links or len(parts) < 7:
        return None
    kind = "express-executions" if parts[5] == "express" else "executions"
    return f"https://{parts[3]}.console.aws.amazon.com/states/home?region={parts[3]}#/v2/{kind}/details/{arn}"
