"""The logger, and the one wrapper that every step's handler wears."""

import hashlib
import os
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger
from pydantic import BaseModel, ValidationError

from selfrag.deadline import time_for_a_retry
from selfrag.errors import DeadlineExceeded, InvalidInput, SelfragError, TemporarilyUnavailable
from selfrag.metrics import NAMESPACE, count_calls, count_step
from selfrag.models import StepResult
from selfrag.settings import settings

logger = Logger(service=os.environ.get("POWERTOOLS_SERVICE_NAME", NAMESPACE))

Event = dict[str, Any]
Handler = Callable[[Event, Any], Event]


def hashed(text: str) -> str:
    """A short hash by which the log lines of one question can be found, and the question cannot."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def step(work: Callable[[Event], BaseModel]) -> Handler:
    """Make a Lambda handler of a function from an event to a result model; it is timed, counted and logged.

    A malformed event raises InvalidInput with the names of the wrong fields, never their values.
    """

    @wraps(work)
    def handler(event: Event, context: Any) -> Event:
        name = work.__module__.split(".")[0]
        logger.append_keys(step=name, question=hashed(str(event.get("question", ""))))
        started, failed = time.monotonic(), True
        try:
            result = work(event)
            if isinstance(result, StepResult):
                count_calls(result.calls, settings().prices)
            logger.info("done")
            failed = False
            return result.model_dump(mode="json")
        except ValidationError as error:
            wrong = ", ".join(sorted({".".join(map(str, e["loc"])) for e in error.errors(include_input=False)}))
            raise InvalidInput(f"{name} cannot read its input: {wrong}") from None
        except SelfragError as error:
            logger.warning("failed", extra={"error": type(error).__name__})
            if isinstance(error, TemporarilyUnavailable) and not time_for_a_retry(event.get("deadline")):
                raise DeadlineExceeded(f"no time is left for another try: {error}") from error
            raise
        finally:
            count_step(name, 1000 * (time.monotonic() - started), failed=failed)

    return handler
