"""Corrections of Distributed Maps and of what their items start and write; tests in tests/infra assert each of them."""

import json
import time
from typing import Any

from ministack.services import s3, stepfunctions

from tests.support.emulated.machines import Machines


def run_distributed_maps(machines: Machines) -> None:
    """A Distributed Map's fields are not read as JSONata, and what its items gave is neither written nor given on."""
    fill, run = stepfunctions._resolve_params_obj, stepfunctions._run_distributed_map

    def filled(value: Any, given: Any, context: Any = None) -> Any:
        if (context or {}).get("QueryLanguage") == "JSONata":
            return stepfunctions._apply_jsonata_template(value, given, context)
        return fill(value, given, context)

    def run_map(state: dict[str, Any], given: Any, effective: Any, items: Any, execution: Any, context: Any) -> Any:
        at_once = stepfunctions._jsonata_state_field(state, "MaxConcurrency", "number", given, context)
        where = filled(state["ResultWriter"]["Arguments"], given, context) if "ResultWriter" in state else None
        if where:
            # Step Functions tries to write before it begins.
            may_write(where["Bucket"], f"{where['Prefix']}/manifest.json")
        result, following = run({**state, "MaxConcurrency": at_once}, given, effective, items, execution, context)
        if where:
            runs = stepfunctions._map_runs.items()
            result = written(
                where, next(arn for arn, each in runs if each["executionArn"] == execution["executionArn"])
            )
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


def name_executions_once() -> None:
    """A machine has one execution of a name: what runs is joined by who starts the same, and what has ended refuses."""
    start = stepfunctions._invoke_nested_start_execution_sync

    def started(resource: str, given: dict[str, Any]) -> Any:
        machine = stepfunctions._resolve_state_machine_arn(given["StateMachineArn"]) or given["StateMachineArn"]
        arn = f"{machine.replace(':stateMachine:', ':execution:')}:{given.get('Name')}"
        known = stepfunctions._executions.get(arn)
        if known is None:
            return start(resource, {**given, "StateMachineArn": machine})
        if known["status"] != "RUNNING" or json.loads(known["input"]) != given["Input"]:
            error = "StepFunctions.ExecutionAlreadyExistsException"
            raise stepfunctions._ExecutionError(error, f"Execution Already Exists: '{arn}'")
        while known["status"] == "RUNNING":
            time.sleep(0.05)
        if known["status"] != "SUCCEEDED":
            raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(known))
        moments = {"StartDate": known["startDate"], "StopDate": known["stopDate"]}
        return {**moments, "Status": known["status"], "Output": json.loads(known["output"])}

    stepfunctions._invoke_nested_start_execution_sync = started


def write_objects() -> None:
    """`aws-sdk:s3:putObject` is not there. What is given as an object is written as JSON."""
    call = stepfunctions._invoke_aws_sdk_integration

    def called(resource: str, given: dict[str, Any]) -> Any:
        if not resource.endswith(":s3:putObject"):
            return call(resource, given)
        s3._put_object(given["Bucket"], given["Key"], json.dumps(given["Body"]).encode(), {})
        return {}

    stepfunctions._invoke_aws_sdk_integration = called
