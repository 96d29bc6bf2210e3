"""Where moto is laxer than AWS with a definition, and what takes its place; tests/workflow/ proves each.

Every function here stands in for a method of moto's, or wraps it; `interpreter.py` says which.
"""

import copy
import json
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from moto.stepfunctions.parser.api import EvaluationFailedEventDetails, HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent, FailureEventException
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails

from selfrag_cli.local.jsonata import QueryError, check, evaluate

MAX_VARIABLE_BYTES = 256 * 1024
NOT_CAUGHT_BY_ALL = ("States.DataLimitExceeded", "States.Runtime")


def checked(init: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Refuse an expression when the definition is read, as AWS does."""

    def checked(self: Any, expression: str) -> None:
        check(expression)
        init(self, expression)

    return checked


def evaluate_strictly(self: Any, env: Any) -> None:
    """Put an expression's value on the stack; an undefined one fails with States.QueryEvaluationError."""
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


def assign_later(self: Any, env: Any) -> None:
    """Work out all values now, and let them take effect when the state is left: `Output` sees the old ones."""
    values: dict[str, Any] = {}
    for binding in self.declaration_bindings:
        binding.eval(env=env)
        values.update(env.stack.pop())
    if len(json.dumps(values, ensure_ascii=False).encode()) > MAX_VARIABLE_BYTES:
        raise _failure(env, StatesErrorNameType.StatesStatesDataLimitExceeded, "an Assign is larger than 256 KiB")
    env.variable_store.pending = copy.deepcopy(values)


def assigning(leave: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Leave a state with what `assign_later` has worked out in effect."""

    def assign_and_leave(self: Any, env: Any) -> Any:
        for name, value in getattr(env.variable_store, "pending", {}).items():
            env.variable_store.set(variable_identifier=name, variable_value=value)
        env.variable_store.pending = {}
        return leave(self, env)

    return assign_and_leave


def as_aws_catches(matches: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Let States.ALL catch what it catches on AWS, and nothing else."""

    def matches_as_aws(self: Any, env: Any) -> None:
        error = env.stack[-1]
        matches(self, env)
        if env.stack[-1] and error.error_name in NOT_CAUGHT_BY_ALL:
            env.stack[-1] = error in self.error_names

    return matches_as_aws


# Threads that wait for an execution's end are woken by each one's.
SOME_ENDED = threading.Condition()


def status_last(reflect: Callable[[Any], None]) -> Callable[[Any], None]:
    """Let an execution have ended only when its output or error is there too, whichever thread looks."""

    def reflect_status_last(self: Any) -> None:
        end = SimpleNamespace(exec_worker=self.execution.exec_worker)
        reflect(SimpleNamespace(execution=end))
        with SOME_ENDED:
            for name, value in sorted(vars(end).items(), key=lambda item: item[0] == "exec_status"):
                setattr(self.execution, name, value)
            SOME_ENDED.notify_all()

    return reflect_status_last
