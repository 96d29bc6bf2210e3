"""The logger, and the wrapper of every step's handler."""

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from aws_lambda_powertools import Logger
from pydantic import BaseModel, ValidationError

from selfrag.domain.calls import Prices, StepResult
from selfrag.domain.errors import DeadlineExceeded, InvalidInput, SelfragError, TemporarilyUnavailable
from selfrag.domain.validation import wrong_fields
from selfrag.runtime.deadline import time_for_a_retry
from selfrag.runtime.metrics import NAMESPACE, count_calls, count_event, count_step

logger = Logger(service=os.environ.get("POWERTOOLS_SERVICE_NAME", NAMESPACE))

# The event by which a schedule keeps a copy of a function: nothing is done, counted or logged.
KEEP_WARM = {"keep_warm"}

Event = dict[str, Any]
Handler = Callable[[Event, Any], Event]
T = TypeVar("T", bound=BaseModel)


def hash_text(text: str) -> str:
    """Return a short hash that identifies the log lines of one question without its text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def step_handler(
    work: Callable[[T], BaseModel], name: str, task: type[T], prices: Callable[[], Mapping[str, Prices]]
) -> Handler:
    """Make a Lambda handler of a function from a task to a result model; it is timed, counted and logged by name.

    A malformed event raises InvalidInput with the names of the wrong fields, never their values; a later validation
    error is no fault of the event.
    """

    @wraps(work)
    def handler(event: Event, context: Any) -> Event:
        if event.keys() == KEEP_WARM:
            return {}
        logger.append_keys(step=name, question=hash_text(str(event.get("question", ""))))
        started, failure = time.monotonic(), "no result"
        try:
            result = work(_parse_task(name, task, event))
            failure = ""
            if isinstance(result, StepResult):
                count_calls(result.calls, prices())
                if result.throttled:
                    count_event(name, "ThrottledSteps")
                failure = result.error or ""
            logger.warning("failed", extra={"error": failure}) if failure else logger.info("done")
            return result.model_dump(mode="json")
        except SelfragError as error:
            logger.warning("failed", extra={"error": type(error).__name__})
            if isinstance(error, TemporarilyUnavailable) and not time_for_a_retry(event.get("deadline_ms")):
                raise DeadlineExceeded(f"no time is left for another try: {error}") from error
            raise
        finally:
            count_step(name, 1000 * (time.monotonic() - started), failed=bool(failure))

    return handler


def _parse_task(name: str, task: type[T], event: Event) -> T:
    try:
        return task.model_validate(event)
    except ValidationError as error:
        raise InvalidInput(f"{name} cannot read its input: {wrong_fields(error)}") from None
