"""The response: status, answer, citations, verdicts, path and cost, from what the workflow gathered (pure)."""

from collections.abc import Mapping

from selfrag.domain.answers import BY_RULE, NEAREST, AnswerResponse, ExecutionLink, NearPassage
from selfrag.domain.calls import Prices
from selfrag.domain.ledger import path_of
from selfrag.domain.passages import WEB
from selfrag.domain.verdicts import Critique, JudgedBy, Reflection, nearest
from selfrag.question.compose_answer.outcome import Outcome, outcome
from selfrag.question.compose_answer.task import Task
from selfrag.question.compose_answer.usage import usage


def compose(
    task: Task, prices: Mapping[str, Prices], console_links: bool, writer: JudgedBy = "model"
) -> AnswerResponse:
    """Return the response: the answer, its status, its verdicts, and its cost."""
    result = outcome(task)
    return AnswerResponse(
        id=task.id,
        status=result.status,
        question=task.question,
        notice=BY_RULE if writer == "rule" and not _by_selfrag(task) else None,
        answer=result.answer,
        citations=result.draft.citations if result.draft else [],
        not_said=result.draft.not_said if result.draft else [],
        complete=result.selection is None,
        selection=result.selection,
        nearest=_nearest(task) if result.status == "abstained" else [],
        reflection=_reflection(task, result),
        path=path_of((entry.turn, entry.step) for entry in task.ledger),
        passes=task.passes,
        queries=task.queries,
        usage=usage(task, result, prices),
        execution=ExecutionLink(arn=task.execution_arn, console_url=_console_url(task) if console_links else None),
        scores=task.scores,
    )


def _nearest(task: Task) -> list[NearPassage]:
    """Return the passages of documents that came nearest, at most NEAREST; those without a verdict are the last."""
    own = {one.passage_id: NearPassage(**one.model_dump()) for one in task.passages if one.collection != WEB}
    order = dict.fromkeys([*nearest(task.relevance), *own])
    return [own[one] for one in order if one in own][:NEAREST]


def _by_selfrag(task: Task) -> bool:
    """Return whether the fine-tuned model wrote the answer."""
    return task.scores is not None and task.scores.generator == "selfrag"


def _reflection(task: Task, result: Outcome) -> Reflection:
    # The verdicts on a withheld answer say why it was withheld.
    judged = result.draft or (task.draft if task.draft.answer else None)
    verdicts = {name: getattr(judged, name, None) for name in Critique.model_fields}
    if not task.reflects:
        verdicts = dict.fromkeys(verdicts)
    elif judged and judged.direct:
        verdicts["support"] = None
    return Reflection(retrieve=task.retrieval, relevance=task.relevance, **verdicts)


def _console_url(task: Task) -> str | None:
    parts = task.execution_arn.split(":")
    if len(parts) < 7:
        return None
    console = f"https://{parts[3]}.console.aws.amazon.com/states/home?region={parts[3]}#"
    if parts[5] != "express":
        return f"{console}/v2/executions/details/{task.execution_arn}"
    # One second earlier: the console searches the log from this moment on.
    return f"{console}/express-executions/details/{task.execution_arn}?startDate={task.began_ms - 1000:.0f}"
