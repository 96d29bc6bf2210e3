"""The life cycle of a question: accept it (once per key), wait for it, and look how far it is."""

import json
import math
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from pydantic import JsonValue

from selfrag import bootstrap
from selfrag.api.edge.callers import Caller
from selfrag.api.edge.idempotency import forget, once, record_key
from selfrag.api.edge.problems import RETRY_AFTER, ProblemError
from selfrag.api.logic import State, unfinished
from selfrag.bootstrap import api
from selfrag.domain.errors import InvalidInput, SelfragError, TemporarilyUnavailable
from selfrag.domain.history import steps_of
from selfrag.domain.questions import AskRequest
from selfrag.domain.strategies import is_quick
from selfrag.ports.executions import Executions, StoredQuestion
from selfrag.runtime.observability import hash_text, logger
from selfrag.runtime.settings import ApiSettings

MIN_SECONDS = 1.0
DAY_SECONDS = 86_400
# Grace period after the deadline before a missing response counts as failed: composing and storing may be retried.
MARGIN_SECONDS = 60.0
# The most JSON of the names of a question's collections: each state of the workflow holds them, next to the passages.
NAMES_BYTES = 16 * 1024


@dataclass(frozen=True)
class Arrival:
    """A request without its body; `at` is when API Gateway received it, in seconds since the epoch."""

    path: str
    caller: Caller
    key: str
    at: float
    context: Any


def answer(body: AskRequest, arrival: Arrival) -> tuple[str, dict[str, JsonValue] | None]:
    """Run a question on the Express machine; return its id and its response, None while it is still running.

    Raises InvalidInput for a deadline longer than API Gateway waits, ProblemError for a strategy that takes longer.
    """
    config = api.api_settings()
    if not is_quick(body.policy.strategy):
        raise ProblemError(
            HTTPStatus.BAD_REQUEST,
            f"The strategy {body.policy.strategy} takes longer than POST /v1/ask waits.",
            "Send the same body to POST /v1/questions, and look at its Location for the answer.",
        )
    # A deadline that the request does not set is cut to the time there is.
    named = "deadline_seconds" in body.policy.model_fields_set
    if named and body.policy.deadline_seconds > config.sync_deadline_seconds:
        raise InvalidInput(
            f"policy.deadline_seconds may be at most {config.sync_deadline_seconds:g} here; "
            "POST /v1/questions gives more time."
        )
    machines, responses = api.executions(), {}

    def work() -> str:
        question_id, payload = _new_question(body, arrival, config)
        with _reserved(question_id, payload["policy"]["max_cost_usd"]):
            # A cold start, or the wait for an earlier request, counts towards API Gateway's 29 s.
            left = config.sync_deadline_seconds - max(0.0, time.time() - arrival.at)
            policy = payload["policy"]
            policy["deadline_seconds"] = max(MIN_SECONDS, min(policy["deadline_seconds"], left))
            responses[question_id] = machines.answer(question_id, payload)
        if responses[question_id] is None:
            due = time.time() + MARGIN_SECONDS
            machines.expect(question_id, payload, due)
        return question_id

    question_id = _once(work, body, arrival)
    response = responses.get(question_id)
    if response is None and (stored := readable_question(question_id, arrival.caller)):
        response = stored.response
    return question_id, response


def start(body: AskRequest, arrival: Arrival) -> str:
    """Start a question on the Standard machine, and return its id."""
    config = api.api_settings()
    machines = api.executions()

    def work() -> str:
        question_id, payload = _new_question(body, arrival, config)
        # Before the start, so that an id that a caller gets is always known. If the start fails, this item stays, under
        # an id that no caller got.
        due = time.time() + payload["policy"]["deadline_seconds"] + MARGIN_SECONDS
        with _reserved(question_id, payload["policy"]["max_cost_usd"]):
            machines.expect(question_id, payload, due)
            machines.start(question_id, payload)
        return question_id

    return _once(work, body, arrival)


def get_question(question_id: str, caller: Caller, trace: bool) -> dict[str, JsonValue] | None:
    """Return a question's response, or its status, with its progress if `trace`; None if the caller has none such.

    Step Functions is called only for a trace or an overdue question: an account may call it some 15 times a second.
    """
    stored = readable_question(question_id, caller)
    if stored is None:
        return None
    if stored.response:
        return stored.response
    overdue = stored.due < time.time()
    if not trace and not overdue:
        return unfinished(question_id, "running", question=stored.question).model_dump(mode="json")
    return _read_execution(question_id, stored.question, api.executions(), trace, overdue)


def readable_question(question_id: str, caller: Caller) -> StoredQuestion | None:
    """Return a stored question if the caller may read it: who reaches all collections that it was asked under."""
    stored = api.executions().read_stored(question_id)
    # A question without collections belongs to no caller.
    return stored if stored and stored.collections and caller.reaches(stored.collections) else None


def delete(question_id: str, caller: Caller) -> Sequence[str] | None:
    """Delete a question with its answer, feedback and request; return what AWS retains, a sentence each.

    None if the caller has no such question. Raises ProblemError while it is running.
    """
    stored, question = readable_question(question_id, caller), get_question(question_id, caller, trace=False)
    if stored is None or question is None:
        return None
    if question["status"] == "running":
        raise ProblemError(
            HTTPStatus.CONFLICT,
            "The question is still at work.",
            "Delete it when GET /v1/questions/{id} shows how it ended.",
            RETRY_AFTER,
        )
    api.feedback().delete(question_id)
    if stored.request:
        forget(stored.request, question_id, api.idempotency()())
    # Last, so that a deletion which failed can be repeated.
    return api.executions().delete(question_id)


def _read_execution(
    question_id: str, question: str, machines: Executions, trace: bool, overdue: bool
) -> dict[str, JsonValue]:
    """Return Step Functions' view of a question without a response; an overdue one unknown there has failed."""
    state: State = "running"
    steps = None
    # All polls share the account's few calls a second; a throttled poll says only that the question is running.
    with suppress(TemporarilyUnavailable):
        snapshot = machines.snapshot(question_id)
        if snapshot and snapshot.output:
            return snapshot.output
        ended = snapshot.status != "RUNNING" if snapshot else overdue
        state = "failed" if ended else "running"
        steps = steps_of(machines.history(question_id)) if snapshot and trace else None
    view = unfinished(question_id, state, steps, question)
    return (view.without_text() if api.api_settings().guarded else view).model_dump(mode="json")


def _new_question(body: AskRequest, arrival: Arrival, config: ApiSettings) -> tuple[str, dict[str, Any]]:
    """Return an id that cannot be guessed, and the input of the execution of that name.

    Raises ProblemError for a collection, or an earlier answer, that is not the caller's.
    """
    caller = arrival.caller
    payload = body.execution_input(authorized_collections(body, caller))
    # Deleting the question also deletes the record of its request.
    payload["request"] = arrival.key and record_key(caller.name, caller.binding.collections, arrival.key)
    policy = payload["policy"]
    policy["web_search"] &= config.web_search
    limit = body.policy.max_cost_usd
    if config.max_cost_usd and (limit is None or "max_cost_usd" not in body.policy.model_fields_set):
        policy["max_cost_usd"] = min(config.max_cost_usd, limit or config.max_cost_usd)
    if config.deadline_seconds and "deadline_seconds" not in body.policy.model_fields_set:
        policy["deadline_seconds"] = config.deadline_seconds
    logger.append_keys(question=hash_text(body.question))
    return uuid.uuid4().hex, payload


@contextmanager
def _reserved(question_id: str, limit_usd: float | None) -> Iterator[None]:
    """Reserve a question's cost limit if the deployment has a daily cap; a refused start releases it.

    Raises InvalidInput for a limit above the cap, ProblemError (429) for one above the rest of the day's.
    """
    spending, now = bootstrap.spending(), time.time()
    if spending is None:
        yield
        return
    if limit_usd is None or limit_usd > spending.daily_max_usd:
        raise InvalidInput(f"policy.max_cost_usd may be at most {spending.daily_max_usd:g}, the limit of a whole day.")
    if not spending.reserve(question_id, limit_usd, now):
        midnight = now - now % DAY_SECONDS + DAY_SECONDS
        raise ProblemError(
            HTTPStatus.TOO_MANY_REQUESTS,
            "The daily limit of what all questions to this deployment may cost is reached; it ends at "
            f"{time.strftime('%Y-%m-%dT00:00:00Z', time.gmtime(midnight))}.",
            "Ask again then, or now with a lower policy.max_cost_usd.",
            {"Retry-After": str(math.ceil(midnight - now))},
        )
    try:
        yield
    except SelfragError as error:
        if error.refused:
            with suppress(SelfragError):
                spending.settle(question_id, 0.0)
        raise


def authorized_collections(body: AskRequest, caller: Caller) -> list[str]:
    """Return the collections that the request names, else those of the binding, and those of the earlier question.

    Raises ProblemError for a collection, or an earlier answer, that is not the caller's, and for too many collections.
    """
    caller.allowed(body.filters.collections or [])
    collections = set(body.filters.collections or caller.binding.collections)
    if body.previous:
        earlier = readable_question(body.previous, caller)
        if earlier is None or earlier.response is None:
            raise ProblemError(
                HTTPStatus.NOT_FOUND,
                "There is no such earlier answer.",
                "previous is the id of an answer of yours: finished, and not older than 30 days.",
            )
        collections.update(earlier.collections)
    if not collections or len(json.dumps(list(collections))) > NAMES_BYTES:
        raise ProblemError(
            HTTPStatus.BAD_REQUEST,
            "A question can search only some of your collections at once.",
            "Name them in filters.collections.",
        )
    return sorted(collections)


def _once(work: Callable[[], str], body: AskRequest, arrival: Arrival) -> str:
    if not arrival.key:
        return work()
    return once(
        work,
        caller=arrival.caller.name,
        collections=arrival.caller.binding.collections,
        key=arrival.key,
        request={"path": arrival.path, **body.model_dump(mode="json")},
        store=api.idempotency()(),
        context=arrival.context,
    )
