"""Alarms as CloudWatch evaluates them, by AWS's pages "Evaluating an alarm" and "Using metric math"; no code of ours.

Every minute an alarm looks at its last periods, which end at that minute, and at two more: where data is missing, it
goes by the most recent that exists, and fills up what then lacks. AWS gives the two in its examples, and no number.
"""

import ast
import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

MORE_PERIODS = 2
Metric = tuple[str, str, frozenset[tuple[str, str]]]
Value = float | None
_COMPARED = {
    "GreaterThanThreshold": operator.gt,
    "GreaterThanOrEqualToThreshold": operator.ge,
    ast.GtE: operator.ge,
}
_ARITHMETIC = {ast.Mult: operator.mul, ast.Div: operator.truediv}


@dataclass
class Samples:
    """The raw values of metrics, each by its minute."""

    of: dict[Metric, dict[int, list[float]]] = field(default_factory=dict)

    def add(self, second: float, namespace: str, name: str, dimensions: Mapping[str, str], value: float = 1) -> None:
        """Add a value."""
        metric = (namespace, name, frozenset(dimensions.items()))
        self.of.setdefault(metric, {}).setdefault(int(second // 60), []).append(value)

    def data_point(self, metric: Metric, statistic: str, minutes: range) -> Value:
        """Return the statistic of the values of some minutes, None where there are none."""
        known = self.of.get(metric, {})
        values = sorted(value for minute in minutes for value in known.get(minute, []))
        if not values:
            return None
        if statistic.startswith("p"):
            return values[math.ceil(float(statistic[1:]) / 100 * len(values)) - 1]
        return {"Sum": sum, "Maximum": max, "SampleCount": len}[statistic](values)


def first_minute_in_alarm(alarm: Mapping[str, Any], samples: Samples, minutes: int) -> int | None:
    """Return the first of so many minutes at whose end the alarm is on, None where it stays off."""
    return next((minute for minute in range(1, minutes + 1) if is_on(alarm, _recent(alarm, samples, minute))), None)


def is_on(alarm: Mapping[str, Any], points: Iterable[Value]) -> bool:
    """Return whether these data points, the oldest first, put an alarm into the state ALARM."""
    wanted, exceeds = int(alarm["evaluation_periods"]), _COMPARED[alarm["comparison_operator"]]
    existing = [point for point in points if point is not None][-wanted:]
    breaching = [exceeds(point, alarm["threshold"]) for point in existing]
    filled = {"notBreaching": False, "breaching": True}[alarm["treat_missing_data"]]
    breaching += [filled] * (wanted - len(breaching))
    return sum(breaching) >= (alarm["datapoints_to_alarm"] or wanted)


def _recent(alarm: Mapping[str, Any], samples: Samples, end: int) -> list[Value]:
    """Return the data points of the last periods, the oldest first."""
    if alarm["metric_name"]:
        metric = (alarm["namespace"], alarm["metric_name"], frozenset(alarm["dimensions"].items()))
        parts = {"alone": (metric, alarm["statistic"] or alarm["extended_statistic"])}
        expression, period = "alone", alarm["period"]
    else:
        [watched] = [query for query in alarm["metric_query"] if query["return_data"]]
        expression, period, parts = watched["expression"], watched["period"], _parts(alarm["metric_query"])
        if selected := re.match(r'SELECT SUM\((\w+)\) FROM SCHEMA\("(.+)", \w+\) GROUP BY', expression):
            metrics = [metric for metric in samples.of if metric[:2] == (selected[2], selected[1])]
            expression, parts = (
                "MAX(METRICS())",
                {f"q{number}": (metric, "Sum") for number, metric in enumerate(metrics)},
            )
        else:
            [period] = {part["period"] for query in alarm["metric_query"] for part in query["metric"]}
    program, minutes, points = ast.parse(expression, mode="eval").body, int(period) // 60, []
    for number in reversed(range(int(alarm["evaluation_periods"]) + MORE_PERIODS)):
        span = range(end - (number + 1) * minutes, end - number * minutes)
        points.append(_value(program, {name: samples.data_point(*part, span) for name, part in parts.items()}))
    return points


def _parts(queries: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Metric, str]]:
    parts = {
        query["id"]: ((part["namespace"], part["metric_name"], frozenset(part["dimensions"].items())), part["stat"])
        for query in queries
        for part in query["metric"]
    }
    assert len(parts) <= 10, "AWS takes ten metrics at the most"
    return parts


def _value(node: ast.expr, values: Mapping[str, Value]) -> Value:
    """Return the value of an expression at one moment, None where it has none; anything that no alarm uses fails."""
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=number):
            return float(str(number))
        case ast.Call(func=ast.Name(id="MAX"), args=[ast.Call(func=ast.Name(id="METRICS"), args=[])]):
            return max((value for value in values.values() if value is not None), default=None)
        case ast.Call(func=ast.Name(id="IF"), args=[condition, yes, no]):
            holds = _value(condition, values)
            return None if holds is None else _value(yes, values) or 0.0 if holds else _value(no, values)
        case ast.Compare(left=left, ops=[comparison], comparators=[ast.Constant() as limit]):
            compared = _value(left, values)
            return None if compared is None else float(_COMPARED[type(comparison)](compared, _value(limit, values)))
        case ast.BinOp(left=left, op=operation, right=right):
            # What is missing is 0, and a division by 0 gives no data point.
            both = [_value(left, values) or 0.0, _value(right, values) or 0.0]
            return None if isinstance(operation, ast.Div) and not both[1] else _ARITHMETIC[type(operation)](*both)
    raise ValueError(f"no alarm uses this: {ast.dump(node)}")
