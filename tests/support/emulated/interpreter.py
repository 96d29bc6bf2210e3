"""Corrections of how a state machine runs; each is asserted by the apply test."""

from contextvars import ContextVar
from typing import Any

from ministack.core.responses import AccountRegionScopedDict
from ministack.services import stepfunctions


def work_out_timeouts() -> None:
    """A Task's `TimeoutSeconds` may be an expression; ministack takes it for a number."""
    execute = stepfunctions._execute_task

    def execute_task(state: dict[str, Any], given: Any, execution: Any, context: Any) -> Any:
        if isinstance(state.get("TimeoutSeconds"), str):
            seconds = stepfunctions._jsonata_state_field(state, "TimeoutSeconds", "number", given, context)
            state = {**state, "TimeoutSeconds": seconds}
        return execute(state, given, execution, context)

    stepfunctions._execute_task = execute_task


def give_outputs_of_ends() -> None:
    """`Output` of a Succeed state is left out where the language is JSONata."""
    apply = stepfunctions._apply_output_path

    def apply_output(state: dict[str, Any], given: Any, context: Any = None) -> Any:
        if state.get("Type") == "Succeed" and stepfunctions._state_query_language(state, context) == "JSONata":
            return stepfunctions._apply_jsonata_output(state, given, context, default=given)
        return apply(state, given, context)

    stepfunctions._apply_output_path = apply_output


def run_the_version_that_was_started() -> None:
    """Executions of a version or an alias use the current definition, and Express machines support neither."""
    started: ContextVar[str] = ContextVar("started", default="")

    class AsStarted(AccountRegionScopedDict):
        def get(self, arn: str, default: Any = None) -> Any:
            machine = super().get(arn, default)
            version = stepfunctions._state_machine_versions.get(started.get())
            of_this = version and version["stateMachineArn"] == arn
            return {**machine, "definition": version["definition"]} if machine and of_this else machine

    def at_its_version(start: Any) -> Any:
        def started_at(data: dict[str, Any]) -> Any:
            named = data.get("stateMachineArn")
            version = stepfunctions._execution_version_arn(named)
            token = started.set(version or "")
            try:
                return start({**data, "stateMachineArn": stepfunctions._resolve_state_machine_arn(named) or named})
            finally:
                started.reset(token)

        return started_at

    machines = AsStarted()
    machines._data = stepfunctions._state_machines._data
    stepfunctions._state_machines = machines
    stepfunctions._start_execution = at_its_version(stepfunctions._start_execution)
    stepfunctions._start_sync_execution = at_its_version(stepfunctions._start_sync_execution)
