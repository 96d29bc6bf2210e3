"""What the API does with a question: take it on, once if it has a key, wait for it, or look how far it is."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from ask.callers import Caller
from ask.logic import unfinished
from ask.once import once
from ask.problems import ProblemRaised
from selfrag import bootstrap
from selfrag.domain.errors import InvalidInput
from selfrag.domain.history import steps_of
from selfrag.domain.questions import AskRequest
from selfrag.ports.executions import Executions
from selfrag.runtime.observability import hashed, logger
from selfrag.runtime.settings import ApiSettings

LEAST_SECONDS = 1.0


@dataclass(frozen=True)
class Arrival:
    """What is known of a request beside its body: `at` is when API Gateway took it, in seconds since the epoch."""

    path: str
    caller: Caller
    key: str
    at: float
    context: Any


def answer(body: AskRequest, arrival: Arrival) -> tuple[str, dict[str, Any] | None]:
    """The question's id and its response, by the Express machine; no response when it is still at work.

    Raises InvalidInput for a deadline that API Gateway would not wait for.
    """
    config = bootstrap.api_settings()
    if body.policy.deadline_seconds > config.sync_deadline_seconds:
        raise InvalidInput(
            f"policy.deadline_seconds may be at most {config.sync_deadline_seconds:g} here; "
            "POST /v1/questions gives more time."
        )
    machines, responses = bootstrap.executions(), {}

    def work() -> str:
        question_id, payload = _new_question(body, arrival.caller, machines, config)
        # A cold start, or the wait for another request's end, is part of API Gateway's 29 s.
        left = config.sync_deadline_seconds - max(0.0, time.time() - arrival.at)
        payload["policy"]["deadline_seconds"] = max(LEAST_SECONDS, min(body.policy.deadline_seconds, left))
        responses[question_id] = machines.answer(question_id, payload)
        return question_id

    question_id = _once(work, body, arrival, config)
    return question_id, responses.get(question_id) or machines.remembered(question_id, arrival.caller.collections)


def start(body: AskRequest, arrival: Arrival) -> str:
    """Start the question on the Standard machine and give its id."""
    config = bootstrap.api_settings()
    machines = bootstrap.executions()

    def work() -> str:
        question_id, payload = _new_question(body, arrival.caller, machines, config)
        machines.start(question_id, payload)
        return question_id

    return _once(work, body, arrival, config)


def look(question_id: str, caller: Caller) -> dict[str, Any] | None:
    """The response of a question, or how far it is; None when there is no such question of the caller's."""
    machines = bootstrap.executions()
    return machines.remembered(question_id, caller.collections) or _at_work(machines, question_id, caller)


def _at_work(machines: Executions, question_id: str, caller: Caller) -> dict[str, Any] | None:
    found = machines.snapshot(question_id, caller.collections)
    if found is None:
        return None
    view = unfinished(question_id, found.status, steps_of(found.history))
    return found.output or view.model_dump(mode="json")


def _new_question(
    body: AskRequest, caller: Caller, machines: Executions, config: ApiSettings
) -> tuple[str, dict[str, Any]]:
    """An id that nobody can guess, and the input of the execution of that name.

    Raises ProblemRaised for a collection, or an earlier answer, that is not the caller's.
    """
    caller.allowed(body.filters.collections or [])
    if body.previous and machines.remembered(body.previous, caller.collections) is None:
        raise ProblemRaised(
            HTTPStatus.NOT_FOUND,
            "There is no such earlier answer.",
            "previous is the id of an answer of yours: finished, and not older than 30 days.",
        )
    payload = body.execution_input(list(caller.collections))
    payload["policy"]["web_search"] &= config.web_search
    logger.append_keys(question=hashed(body.question))
    return uuid.uuid4().hex, payload


def _once(work: Callable[[], str], body: AskRequest, arrival: Arrival, config: ApiSettings) -> str:
    if not arrival.key:
        return work()
    return once(
        work,
        caller=arrival.caller.name,
        key=arrival.key,
        request={"path": arrival.path, **body.model_dump(mode="json")},
        table=config.requests_table,
        client=bootstrap.requests_client(),
        context=arrival.context,
    )
