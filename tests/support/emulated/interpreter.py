"""Corrections of how a state machine runs; each is asserted by the apply test, or by that of releases."""

import json
from contextvars import ContextVar
from typing import Any

from ministack.core.responses import AccountRegionScopedDict
from ministack.services import s3, stepfunctions

from tests.support.emulated.machines import Machines


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


def run_distributed_maps(machines: Machines) -> None:
    """A Distributed Map's fields are not read as JSONata, and its results are not written."""
    fill, run = stepfunctions._resolve_params_obj, stepfunctions._run_distributed_map

    def filled(value: Any, given: Any, context: Any = None) -> Any:
        if (context or {}).get("QueryLanguage") == "JSONata":
            return stepfunctions._apply_jsonata_template(value, given, context)
        return fill(value, given, context)

    def run_map(state: dict[str, Any], given: Any, effective: Any, items: Any, execution: Any, context: Any) -> Any:
        at_once = stepfunctions._jsonata_state_field(state, "MaxConcurrency", "number", given, context)
        # Step Functions tries to write before it begins.
        where = filled(state["ResultWriter"]["Arguments"], given, context)
        may_write(where["Bucket"], f"{where['Prefix']}/manifest.json")
        _, following = run({**state, "MaxConcurrency": at_once}, given, effective, items, execution, context)
        arn = next(
            arn for arn, each in stepfunctions._map_runs.items() if each["executionArn"] == execution["executionArn"]
        )
        result = written(where, arn)
        return stepfunctions._apply_jsonata_output(state, given, context, result=result, default=result), following

    def may_write(bucket: str, key: str) -> None:
        machines.need("States.ResultWriterFailed", "s3:PutObject", f"arn:aws:s3:::{bucket}/{key}")

    def put(bucket: str, key: str, content: Any) -> None:
        may_write(bucket, key)
        s3._put_object(bucket, key, json.dumps(content).encode(), {})

    def written(where: dict[str, str], arn: str) -> dict[str, Any]:
        prefix = f"{where['Prefix']}/{arn.split(':')[-1]}"
        children = [each for each in stepfunctions._executions.values() if each.get("mapRunArn") == arn]
        files: dict[str, list[dict[str, Any]]] = {"FAILED": [], "PENDING": [], "SUCCEEDED": []}
        for status in ("FAILED", "SUCCEEDED"):
            ended = [
                {"Status": status, "Input": each["input"], "Error": each.get("error"), "Cause": each.get("cause")}
                for each in children
                if each["status"] == status
            ]
            if ended:
                files[status].append({"Key": f"{prefix}/{status}_0.json"})
                put(where["Bucket"], f"{prefix}/{status}_0.json", ended)
        manifest = {"DestinationBucket": where["Bucket"], "MapRunArn": arn, "ResultFiles": files}
        put(where["Bucket"], f"{prefix}/manifest.json", manifest)
        details = {"Bucket": where["Bucket"], "Key": f"{prefix}/manifest.json"}
        return {"MapRunArn": arn, "ResultWriterDetails": details}

    stepfunctions._resolve_params_obj = filled
    stepfunctions._run_distributed_map = run_map


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
