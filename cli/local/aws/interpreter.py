"""moto's interpreter of state machines, with Lambdas called in this process, and as strict as AWS.

moto 5.2.5 ships without a JSONata evaluator, evaluates `Output` after `Assign`, lets States.ALL catch what AWS does
not, has no limit on variables, no StartSyncExecution, and stores that are not made for threads. Each patch below mends
one of these; tests in tests/workflow/ prove each of them.
"""

import copy
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto import backend_index, mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.responses import ActionResult
from moto.stepfunctions import urls
from moto.stepfunctions.parser.api import EvaluationFailedEventDetails, HistoryEventType
from moto.stepfunctions.parser.asl.component.common.assign.assign_decl import AssignDecl
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent, FailureEventException
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.common.string.string_expression import StringJSONata
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.responses import StepFunctionResponse

from cli.local.aws.jsonata import QueryError, check, evaluate

MAX_VARIABLE_BYTES = 256 * 1024
NOT_CAUGHT_BY_ALL = ("States.DataLimitExceeded", "States.Runtime")

# Parsing the definition takes as long as running it, and the emulator would do it twice for each stack.
_parse_once = lru_cache(maxsize=8)(AmazonStateLanguageParser.parse)

# StartSyncExecution is called on a host of its own.
_STATES_HOSTS = r"https?://(?:sync-)?states\.(.+)\.amazonaws\.com"

LambdaHandler = Callable[[dict[str, Any], Any], Any]
Pause = Callable[[float], None]


@contextmanager
def local_aws(handlers: Mapping[str, LambdaHandler], pause: Pause = time.sleep) -> Iterator[None]:
    """An AWS in this process: Step Functions that run, and Lambdas that are the given functions, by name.

    `pause` waits between retries and in Wait states, in seconds.
    """
    config: Any = {"stepfunctions": {"execute_state_machine": True}, "lambda": {"use_docker": False}}
    with ExitStack() as stack:
        stack.enter_context(patch.object(urls, "url_bases", [_STATES_HOSTS]))
        known = [*backend_index.backend_url_patterns, ("stepfunctions", re.compile(_STATES_HOSTS))]
        stack.enter_context(patch.object(backend_index, "backend_url_patterns", known))
        stack.enter_context(mock_aws(config=config))
        stack.enter_context(patch.object(LambdaSimpleBackend, "invoke", _invoker(handlers)))
        stack.enter_context(patch.object(StringJSONata, "_eval_body", _evaluate_strictly))
        stack.enter_context(patch.object(StringJSONata, "__init__", _checked(StringJSONata.__init__)))
        stack.enter_context(patch.object(AssignDecl, "_eval_body", _assign_later))
        leave = CommonStateField._get_state_exited_event_details
        stack.enter_context(patch.object(CommonStateField, "_get_state_exited_event_details", _assigning(leave)))
        stack.enter_context(patch.object(ErrorEqualsDecl, "_eval_body", _as_aws_catches(ErrorEqualsDecl._eval_body)))
        stack.enter_context(patch.object(AmazonStateLanguageParser, "parse", _parse_once))
        stack.enter_context(patch.object(retrier_decl, "time", SimpleNamespace(sleep=pause)))
        stack.enter_context(
            patch.object(WaitFunction, "_wait_interval", lambda self, env, wait_seconds: pause(wait_seconds))
        )
        process = _stores_one_at_a_time(BotocoreStubber.process_request)
        stack.enter_context(patch.object(BotocoreStubber, "process_request", process))
        stack.enter_context(patch.object(StepFunctionResponse, "start_sync_execution", _start_sync, create=True))
        yield


def _invoker(handlers: Mapping[str, LambdaHandler]) -> Callable[..., bytes]:
    def invoke(
        self: Any, function_name: str, qualifier: Any, body: Any, headers: Any, response_headers: dict[str, str]
    ) -> bytes:
        try:
            result = handlers[function_name.split(":")[-1]](
                json.loads(body), SimpleNamespace(function_name=function_name)
            )
            return json.dumps(result).encode()
        except Exception as error:  # Lambda turns whatever a handler raises into an error's name and message
            response_headers["x-amz-function-error"] = "Unhandled"
            return json.dumps({"errorType": type(error).__name__, "errorMessage": str(error)}).encode()

    return invoke


_STORES = re.compile(r"https://(dynamodb|([^/]+\.)?s3)\.")
_storing = threading.RLock()


def _stores_one_at_a_time(process: Callable[..., Any]) -> Callable[..., Any]:
    """Moto's tables and buckets are not made for threads.

    A condition and the write that hangs on it are two steps there, and a query breaks off when another thread writes.
    """

    def process_one(self: Any, request: Any) -> Any:
        with _storing if _STORES.match(request.url) else nullcontext():
            return process(self, request)

    return process_one


def _start_sync(self: Any) -> Any:
    """StartSyncExecution: the caller has the execution when it has ended."""
    machine, name, given = (self._get_param(part) for part in ("stateMachineArn", "name", "input"))
    execution = self.stepfunction_backend.start_execution(machine, name, given)
    while execution.status == "RUNNING":
        time.sleep(0.005)  # moto has no way to wait for an execution
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


def _checked(init: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    def checked(self: Any, expression: str) -> None:
        check(expression)
        init(self, expression)

    return checked


def _evaluate_strictly(self: Any, env: Any) -> None:
    # What a state may not see is left out, so that naming it is undefined and fails as on AWS.
    states = {name: value for name, value in env.states._states_data.items() if value is not None or name == "input"}
    bindings = {"states": states, **env.variable_store._outer_scope, **env.variable_store._inner_scope}
    try:
        env.stack.append(evaluate(self.expression, bindings))
    except QueryError as error:
        raise _failure(env, StatesErrorNameType.StatesQueryEvaluationError, str(error)) from error


def _failure(env: Any, kind: StatesErrorNameType, cause: str) -> FailureEventException:
    name = StatesErrorName(typ=kind)
    details = EvaluationFailedEventDetails(cause=cause, error=name.error_name)
    return FailureEventException(
        failure_event=FailureEvent(
            env=env,
            error_name=name,
            event_type=HistoryEventType.EvaluationFailed,
            # One of its details is meant to be there; moto's type asks for all.
            event_details=EventDetails(evaluationFailedEventDetails=details),  # type: ignore[typeddict-item]
        )
    )


def _assign_later(self: Any, env: Any) -> None:
    """Work out all values now, and let them take effect when the state is left: `Output` sees the old ones."""
    values: dict[str, Any] = {}
    for binding in self.declaration_bindings:
        binding.eval(env=env)
        values.update(env.stack.pop())
    if len(json.dumps(values, ensure_ascii=False).encode()) > MAX_VARIABLE_BYTES:
        raise _failure(env, StatesErrorNameType.StatesStatesDataLimitExceeded, "an Assign is larger than 256 KiB")
    env.variable_store.pending = copy.deepcopy(values)


def _assigning(leave: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def assign_and_leave(self: Any, env: Any) -> Any:
        for name, value in getattr(env.variable_store, "pending", {}).items():
            env.variable_store.set(variable_identifier=name, variable_value=value)
        env.variable_store.pending = {}
        return leave(self, env)

    return assign_and_leave


def _as_aws_catches(matches: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def matches_as_aws(self: Any, env: Any) -> None:
        error = env.stack[-1]
        matches(self, env)
        if env.stack[-1] and error.error_name in NOT_CAUGHT_BY_ALL:
            env.stack[-1] = error in self.error_names

    return matches_as_aws
