"""Requests to the local AWS that moto does not answer, or not for threads; each stands in for something of moto's."""

import json
import re
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from moto.core.responses import ActionResult

from tests.support.emulated_aws.strictness import SOME_ENDED

_STORES = re.compile(r"https://(dynamodb|([^/]+\.)?s3)\.")


def one_at_a_time(process: Callable[..., Any]) -> Callable[..., Any]:
    """Moto's tables and buckets are not made for threads.

    A condition and the write that hangs on it are two steps there, and a query breaks off when another thread writes.
    """
    storing = threading.RLock()

    def process_one(self: Any, request: Any) -> Any:
        with storing if _STORES.match(request.url) else nullcontext():
            return process(self, request)

    return process_one


def start_sync(self: Any) -> Any:
    """StartSyncExecution: the caller has the execution when it has ended."""
    machine, name, given = (self._get_param(part) for part in ("stateMachineArn", "name", "input"))
    execution = self.stepfunction_backend.start_execution(machine, name, given)
    with SOME_ENDED:
        SOME_ENDED.wait_for(lambda: execution.status != "RUNNING")
    output = None if execution.output is None else json.dumps(execution.output)
    known = {"output": output, "error": execution.error, "cause": execution.cause}
    return ActionResult(
        {
            "executionArn": execution.execution_arn,
            "startDate": execution.start_date,
            "stopDate": execution.stop_date,
            "status": execution.status,
            **{name: value for name, value in known.items() if value is not None},
        }
    )


def history_as_json(self: Any) -> tuple[int, dict[str, str], str]:
    """GetExecutionHistory, of all events at once; moments are seconds, as the service sends them."""
    history = self.stepfunction_backend.get_execution_history(self._get_param("executionArn"))
    return 200, {}, json.dumps(history, default=lambda moment: moment.timestamp())
