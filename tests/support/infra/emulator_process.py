"""ministack with nine corrections; runs in ministack's own environment, as a program.

Without them terraform sees differences, or an error, that AWS would not show. Each is asserted by the apply test, or by
that of releases: take one out, and that test fails. What unpacks layers once only saves time, minutes of it.
"""

import json
import sys
import tempfile
import threading
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZipFile

from ministack.app import main
from ministack.core.responses import AccountRegionScopedDict
from ministack.services import apigateway_v1, cloudwatch, lambda_svc, s3, stepfunctions


def accept_keys_without_a_value() -> None:
    """The provider sends an empty value to have one made, which AWS takes as none."""
    create = apigateway_v1._create_api_key

    def create_api_key(data: dict[str, Any]) -> Any:
        return create({name: value for name, value in data.items() if (name, value) != ("value", "")})

    apigateway_v1._create_api_key = create_api_key


def describe_alarms_in_full() -> None:
    """In the XML protocol, which the provider speaks, ministack leaves out most of an alarm."""
    describe = cloudwatch._describe_alarms

    def as_xml(value: Any) -> str:
        if isinstance(value, dict):
            return "".join(f"<{name}>{as_xml(part)}</{name}>" for name, part in value.items() if part not in (None, ""))
        if isinstance(value, list):
            return "".join(f"<member>{as_xml(part)}</member>" for part in value)
        return escape(str(value).lower() if isinstance(value, bool) else str(value))

    def describe_alarms(params: Any, data: Any, is_cbor: bool, is_json: bool = False) -> Any:
        if is_cbor or is_json:
            return describe(params, data, is_cbor, is_json)
        names = (cloudwatch._p(params, f"AlarmNames.member.{number}") for number in range(1, 101))
        answer = describe(params, {"AlarmNames": [name for name in names if name]}, False, True)
        alarms = json.loads(answer[2])["MetricAlarms"]
        for alarm in alarms:
            # Both are dates as numbers here, and texts in XML.
            alarm.pop("StateUpdatedTimestamp", None)
            alarm.pop("AlarmConfigurationUpdatedTimestamp", None)
            if alarm.get("ExtendedStatistic"):
                alarm.pop("Statistic", None)
        body = f"<DescribeAlarmsResult>{as_xml({'MetricAlarms': alarms})}</DescribeAlarmsResult>"
        return cloudwatch._xml(200, "DescribeAlarmsResponse", body)

    cloudwatch._describe_alarms = describe_alarms


def remember_tracing() -> None:
    """A state machine's tracing is taken and forgotten."""

    def remembering(change: Any) -> Any:
        def changed(data: dict[str, Any]) -> Any:
            answer = change(data)
            arn = data.get("stateMachineArn") or json.loads(answer[2]).get("stateMachineArn")
            if "tracingConfiguration" in data and arn in stepfunctions._state_machines:
                stepfunctions._state_machines[arn]["tracingConfiguration"] = data["tracingConfiguration"]
            return answer

        return changed

    stepfunctions._create_state_machine = remembering(stepfunctions._create_state_machine)
    stepfunctions._update_state_machine = remembering(stepfunctions._update_state_machine)


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


def run_distributed_maps() -> None:
    """A Distributed Map's fields are not read as JSONata, and its results are not written."""
    fill, run = stepfunctions._resolve_params_obj, stepfunctions._run_distributed_map

    def filled(value: Any, given: Any, context: Any = None) -> Any:
        if (context or {}).get("QueryLanguage") == "JSONata":
            return stepfunctions._apply_jsonata_template(value, given, context)
        return fill(value, given, context)

    def run_map(state: dict[str, Any], given: Any, effective: Any, items: Any, execution: Any, context: Any) -> Any:
        at_once = stepfunctions._jsonata_state_field(state, "MaxConcurrency", "number", given, context)
        _, following = run({**state, "MaxConcurrency": at_once}, given, effective, items, execution, context)
        arn = next(
            arn for arn, each in stepfunctions._map_runs.items() if each["executionArn"] == execution["executionArn"]
        )
        result = written(filled(state["ResultWriter"]["Arguments"], given, context), arn)
        return stepfunctions._apply_jsonata_output(state, given, context, result=result, default=result), following

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
                s3._put_object(where["Bucket"], f"{prefix}/{status}_0.json", json.dumps(ended).encode(), {})
        manifest = {"DestinationBucket": where["Bucket"], "MapRunArn": arn, "ResultFiles": files}
        s3._put_object(where["Bucket"], f"{prefix}/manifest.json", json.dumps(manifest).encode(), {})
        details = {"Bucket": where["Bucket"], "Key": f"{prefix}/manifest.json"}
        return {"MapRunArn": arn, "ResultWriterDetails": details}

    stepfunctions._resolve_params_obj = filled
    stepfunctions._run_distributed_map = run_map


def qualify_what_is_published_at_once() -> None:
    """A version that comes with a function's code, and not by PublishVersion, has the ARN of the function itself."""

    def qualifying(change: Any) -> Any:
        def changed(*arguments: Any) -> Any:
            answer = change(*arguments)
            for name, function in lambda_svc._functions.items():
                for number, version in function["versions"].items():
                    version["config"]["FunctionArn"] = f"{lambda_svc._func_arn(name)}:{number}"
            return answer

        return changed

    lambda_svc._create_function = qualifying(lambda_svc._create_function)
    lambda_svc._update_code = qualifying(lambda_svc._update_code)


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


def unpack_a_layer_once() -> None:
    """Every worker unpacks the layer for itself, one after another, and compiles all of it."""
    unpack, lock = ZipFile.extractall, threading.Lock()
    unpacked: dict[int, str] = {}

    def extractall(self: ZipFile, path: Any = None, members: Any = None, pwd: Any = None) -> None:
        where = Path(path or ".")
        if not where.name.startswith("layer_"):
            return unpack(self, path, members, pwd)
        content = hash(tuple((each.filename, each.CRC) for each in self.infolist()))
        with lock:
            if content not in unpacked:
                unpacked[content] = tempfile.mkdtemp(prefix="layer-")
                unpack(self, unpacked[content])
        where.rmdir()
        where.symlink_to(unpacked[content])
        return None

    ZipFile.extractall = extractall  # type: ignore[method-assign]


if __name__ == "__main__":
    accept_keys_without_a_value()
    describe_alarms_in_full()
    remember_tracing()
    work_out_timeouts()
    give_results_of_branches()
    give_outputs_of_ends()
    run_distributed_maps()
    qualify_what_is_published_at_once()
    run_the_version_that_was_started()
    unpack_a_layer_once()
    del sys.argv[1:]
    main()
