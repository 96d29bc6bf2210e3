"""The response: status, answer, citations, verdicts, path and cost, from what the workflow gathered (pure)."""

from collections.abc import Mapping

from question.compose_answer.outcome import Outcome, outcome
from question.compose_answer.task import Task
from question.compose_answer.usage import usage
from selfrag.domain.answers import AnswerResponse, ExecutionLink
from selfrag.domain.calls import Prices
from selfrag.domain.ledger import path_of
from selfrag.domain.verdicts import Critique, Reflection


def compose(task: Task, prices: Mapping[str, Prices], console_links: bool) -> AnswerResponse:
    """Put together what goes out, how sure it is, and what it took."""
    result = outcome(task)
    return AnswerResponse(
        id=task.id,
        status=result.status,
        answer=result.answer,
        citations=result.draft.citations if result.draft else [],
        reflection=_reflection(task, result),
        path=path_of(entry.step for entry in task.ledger),
        queries=task.queries,
        usage=usage(task, result, prices),
        execution=ExecutionLink(arn=task.execution_arn, console_url=_console_url(task.execution_arn, console_links)),
    )


def _reflection(task: Task, result: Outcome) -> Reflection:
    # Of an answer that was withheld, the verdicts say why.
    judged = result.draft or (task.draft if task.draft.answer else None)
    verdicts = {name: getattr(judged, name, None) for name in Critique.model_fields}
    if judged and judged.direct:
        verdicts["support"] = None
    return Reflection(retrieve=task.retrieval, relevance=task.relevance, **verdicts)


def _console_url(arn: str, console_links: bool) -> str | None:
    parts = arn.split(":")
    if not console_links or len(parts) < 7:
        return None
    kind = "express-executions" if parts[5] == "express" else "executions"
    return f"https://{parts[3]}.console.aws.amazon.com/states/home?region={parts[3]}#/v2/{kind}/details/{arn}"
