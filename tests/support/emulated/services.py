"""Corrections of what services answer: without them terraform sees differences, or an error, that AWS would not show.

Each is asserted by the apply test, or by that of releases: take one out, and that test fails. What unpacks layers once
only saves time, minutes of it.
"""

import json
import tempfile
import threading
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZipFile

from hypercorn.config import Config
from ministack.services import apigateway_v1, cloudwatch, lambda_svc, stepfunctions

# Longer than the SDK that the provider uses keeps a connection that nobody needs.
KEPT_SECONDS = 600


def keep_connections() -> None:
    """A connection is closed after five idle seconds, as the next request comes: that is done, and has no reply."""
    Config.keep_alive_timeout = KEPT_SECONDS


def accept_keys_without_a_value() -> None:
    """The provider sends an empty value to have one made, which AWS takes as none."""
    create = apigateway_v1._create_api_key

    def create_api_key(data: dict[str, Any]) -> Any:
        return create({name: value for name, value in data.items() if (name, value) != ("value", "")})

    apigateway_v1._create_api_key = create_api_key


def leave_mocks_without_a_method() -> None:
    """A mock integration calls nothing, and is given the method POST."""
    put = apigateway_v1._put_integration

    def put_integration(api_id: str, resource_id: str, method: str, data: dict[str, Any]) -> Any:
        return put(api_id, resource_id, method, {"httpMethod": None, **data} if data.get("type") == "MOCK" else data)

    apigateway_v1._put_integration = put_integration


def name_methods_in_settings() -> None:
    """A stage keeps a method's settings by its path with ~1 for a slash, and heeds none that are named otherwise."""
    apply, of_method = apigateway_v1._try_apply_method_settings_patch, apigateway_v1._method_throttle_settings

    def try_apply(stage: dict[str, Any], op: dict[str, Any]) -> bool:
        # It is decoded there, and is to stay as it was sent.
        return bool(apply(stage, {**op, "path": str(op.get("path", "")).replace("~1", "~01")}))

    def throttle_settings(stage: dict[str, Any], resource_path: str, method: str) -> Any:
        known = stage.get("methodSettings") or {}
        own = known.get(f"{resource_path.replace('/', '~1')}/{method}")
        heeded = {f"/{resource_path.lstrip('/')}/{method}": own, "*/*": known.get("*/*")}
        return of_method({"methodSettings": heeded}, resource_path, method)

    apigateway_v1._try_apply_method_settings_patch = try_apply
    apigateway_v1._method_throttle_settings = throttle_settings


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


def make_the_same_alias_once() -> None:
    """A machine's alias that is there is a conflict, even for an SDK that sends the very same again."""
    create = stepfunctions._create_state_machine_alias

    def created(data: dict[str, Any]) -> Any:
        answer = create(data)
        machine = data["routingConfiguration"][0]["stateMachineVersionArn"].rpartition(":")[0]
        known = stepfunctions._state_machine_aliases.get(f"{machine}:{data['name']}", {})
        asked = {"description": data.get("description", ""), "routingConfiguration": data["routingConfiguration"]}
        if answer[0] != 400 or not asked.items() <= known.items():
            return answer
        told = {"stateMachineAliasArn": known["stateMachineAliasArn"], "creationDate": known["creationDate"]}
        return stepfunctions.json_response(told)

    stepfunctions._create_state_machine_alias = created
