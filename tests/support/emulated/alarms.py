"""Corrections of alarms, written and read in the XML protocol; each is asserted by the apply test."""

import json
from typing import Any
from xml.sax.saxutils import escape

from ministack.services import cloudwatch


def keep_expressions() -> None:
    """Take what an alarm watches by an expression, and forget it."""
    put = cloudwatch._put_metric_alarm

    def put_alarm(params: Any, data: Any, is_cbor: bool, is_json: bool = False) -> Any:
        answer = put(params, data, is_cbor, is_json)
        parts = {name: value for name, value in params.items() if name.startswith("Metrics.member.")}
        if parts:
            alarm = cloudwatch._alarms[cloudwatch._p(params, "AlarmName")]
            alarm.update({"Metrics": _listed(parts)["Metrics"], "Statistic": None, "Period": None})
        return answer

    cloudwatch._put_metric_alarm = put_alarm


def _listed(parts: dict[str, Any]) -> Any:
    """Return the value that the names of a request's parts say, such as Metrics.member.1.Id."""
    tree: dict[str, Any] = {}
    for name, value in parts.items():
        *above, last = name.split(".")
        place = tree
        for each in above:
            place = place.setdefault(each, {})
        place[last] = value[0] if isinstance(value, list) else value

    def folded(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if set(node) == {"member"}:
            return [folded(node["member"][number]) for number in sorted(node["member"], key=int)]
        return {name: folded(value) for name, value in node.items()}

    return folded(tree)


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
