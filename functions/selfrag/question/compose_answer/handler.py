"""The Lambda of the states ComposeAnswer and CountLoss."""

from pydantic import BaseModel

from selfrag import bootstrap
from selfrag.bootstrap.guardrail import guardrail
from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import HINTS, SelfragError
from selfrag.domain.verdicts import judged_by
from selfrag.question.compose_answer.logic import clear_texts, compose, texts_of
from selfrag.question.compose_answer.task import ComposeAnswerTask
from selfrag.runtime.metrics import count_answer, count_event
from selfrag.runtime.observability import logger


class EmptyResult(BaseModel):
    """The empty result of counting an answer that could not be stored."""


@bootstrap.step("compose_answer", ComposeAnswerTask)
def handler(task: ComposeAnswerTask) -> AnswerResponse | EmptyResult:
    """Compose and count the response; or count one that could not be stored."""
    if task.unkept:
        count_event("compose_answer", "UnkeptAnswers")
        logger.warning("answer not kept", extra={"error": task.unkept})
        return EmptyResult()
    config = bootstrap.question_settings()
    guard, writer = guardrail(), judged_by(config.models["generate"])
    response = compose(task, config.prices, config.console_links, writer)
    if guard and not task.guarded and not guard.passes("answer", texts_of(response)):
        response = compose(clear_texts(task), config.prices, config.console_links, writer)
    count_answer(response, task.strategy)
    logger.info("composed", extra={"strategy": task.strategy, **_log_fields(response)})
    _settle_spending(task, response.usage.cost_usd)
    return response


bootstrap.warm(guardrail, bootstrap.spending)


def _settle_spending(task: ComposeAnswerTask, cost_usd: float | None) -> None:
    """Replace the question's reservation from the daily cap by its cost; an unknown cost keeps all of it."""
    # A failed step without a result has lost the cost of its calls.
    if cost_usd is None or any(entry.error and entry.error not in HINTS for entry in task.ledger):
        return
    try:
        if spending := bootstrap.spending():
            spending.settle(task.id, cost_usd)
    except SelfragError as error:
        logger.warning("reservation not settled", extra={"error": type(error).__name__})


def _log_fields(response: AnswerResponse) -> dict[str, object]:
    """Return the log fields for the saved queries, without any text of the question, answer or passages."""
    reflection = response.reflection
    claims = reflection.support.claims if reflection.support else []
    return {
        "status": response.status,
        "decision": reflection.retrieve.decision if reflection.retrieve else None,
        "support_level": reflection.support.level if reflection.support else None,
        "unsupported_claims": sum(claim.support in ("none", "contradicted") for claim in claims),
        "utility": reflection.utility.score if reflection.utility else None,
        "rounds": response.usage.rounds,
        "model_calls": response.usage.model_calls,
        "cost_usd": response.usage.cost_usd,
    }
