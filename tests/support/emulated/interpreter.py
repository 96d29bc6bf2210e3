"""Corrections of how a state machine runs; each is asserted by the apply test."""

import json
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


def give_results_of_branches() -> None:
    """`Assign` and `Output` of a Parallel state are left out where the language is JSONata."""
    run = stepfunctions._run_parallel_branches

    def run_branches(state: dict[str, Any], given: Any, execution: Any, context: dict[str, Any]) -> Any:
        results, following = run(state, given, execution, context)
        output = stepfunctions._apply_jsonata_output(state, given, context, result=results, default=results)
        stepfunctions._apply_state_assign(state, given, context, result=results)
        return output, following

    stepfunctions._run_parallel_branches = run_branches


def give_outputs_of_ends() -> None:
    """`Output` of a Succeed state is left out where the language is JSONata."""
    apply = stepfunctions._apply_output_path

    def apply_output(state: dict[str, Any], given: Any, context: Any = None) -> Any:
        if state.get("Type") == "Succeed" and stepfunctions._state_query_language(state, context) == "JSONata":
            return stepfunctions._apply_jsonata_output(state, given, context, default=given)
        return apply(state, given, context)

    stepfunctions._apply_output_path = apply_output


def run_the_version_that_was_started() -> None:
    """An execution of a version, or of an alias, runs the machine as it is now, and Express machines know neither."""
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


def give_no_output_of_what_failed() -> None:
    """An execution that failed is described with its error as its output, which passes for a response."""
    describe = stepfunctions._describe_execution

    def describe_execution(data: dict[str, Any]) -> Any:
        answer = describe(data)
        told = json.loads(answer[2])
        return stepfunctions.json_response({**told, "output": None}) if told.get("error") else answer

    stepfunctions._describe_execution = describe_execution


def delete_machines_once_more() -> None:
    """A machine that is gone is deleted again without an error: an SDK that got no answer sends the same again."""
    delete = stepfunctions._delete_state_machine

    def delete_machine(data: dict[str, Any]) -> Any:
        known = data.get("stateMachineArn") in stepfunctions._state_machines
        return delete(data) if known else stepfunctions.json_response({})

    stepfunctions._delete_state_machine = delete_machine
