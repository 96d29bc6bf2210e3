"""Alarms as CloudWatch evaluates them, by AWS's pages "Evaluating an alarm" and "Using metric math"; no code of ours.

Every minute an alarm looks at its last periods, which end at that minute, and at two more: where data is missing, it
goes by the most recent that exists, and fills up what then lacks. AWS gives the two in its examples, and no number.
"""

import math
import operator
import re
from collections.abc import Iterable, Mapping
from typing import Any

MORE_PERIODS = 2
Alarm = Mapping[str, Any]
Metric = tuple[str, str, frozenset[tuple[str, str]]]
# The raw values of metrics, by minute.
Samples = dict[Metric, dict[int, list[float]]]
_COMPARED = {"GreaterThanThreshold": operator.gt, "GreaterThanOrEqualToThreshold": operator.ge}
_SHARE = re.compile(r"IF\(m0 >= (\d+), 100 \* m0 / m1, 0\)")
_QUERY = re.compile(r'SELECT SUM\((\w+)\) FROM SCHEMA\("(.+)", \w+\) GROUP BY')


def first_minute_in_alarm(alarm: Alarm, samples: Samples, minutes: int) -> int | None:
    """Return the first of so many minutes at whose end the alarm is on, None where it stays off."""
    return next((minute for minute in range(1, minutes + 1) if is_on(alarm, _recent(alarm, samples, minute))), None)


def is_on(alarm: Alarm, points: Iterable[float | None]) -> bool:
    """Return whether these data points, the oldest first, put an alarm into the state ALARM."""
    wanted, exceeds = int(alarm["evaluation_periods"]), _COMPARED[alarm["comparison_operator"]]
    breaching = [exceeds(point, alarm["threshold"]) for point in points if point is not None][-wanted:]
    filled = {"notBreaching": False, "breaching": True}[alarm["treat_missing_data"]]
    breaching += [filled] * (wanted - len(breaching))
    return sum(breaching) >= (alarm["datapoints_to_alarm"] or wanted)


def _recent(alarm: Alarm, samples: Samples, end: int) -> list[float | None]:
    parts = [part for query in alarm["metric_query"] or [] for part in query["metric"]]
    expression = next((query["expression"] for query in alarm["metric_query"] or [] if query["return_data"]), "")
    assert len(parts) <= 10, "AWS takes ten metrics at the most"
    if selected := _QUERY.match(expression):
        metrics = [(metric, "Sum") for metric in samples if metric[:2] == (selected[2], selected[1])]
        period = next(query["period"] for query in alarm["metric_query"])
    else:
        parts = parts or [{**alarm, "stat": alarm["statistic"] or alarm["extended_statistic"]}]
        metrics = [
            ((part["namespace"], part["metric_name"], frozenset(part["dimensions"].items())), part["stat"])
            for part in parts
        ]
        [period] = {part["period"] for part in parts}
    spans = [range(end - (n + 1) * period // 60, end - n * period // 60) for n in range(_periods(alarm))]
    return [_value(expression, [_statistic(samples, *metric, span) for metric in metrics]) for span in spans[::-1]]


def _periods(alarm: Alarm) -> int:
    return int(alarm["evaluation_periods"]) + MORE_PERIODS


def _statistic(samples: Samples, metric: Metric, statistic: str, minutes: range) -> float | None:
    known = samples.get(metric, {})
    values = sorted(value for minute in minutes for value in known.get(minute, []))
    if values and statistic.startswith("p"):
        return values[math.ceil(float(statistic[1:]) / 100 * len(values)) - 1]
    return {"Sum": sum, "Maximum": max, "SampleCount": len}[statistic](values) if values else None


def _value(expression: str, values: list[float | None]) -> float | None:
    """Return the value of an expression, None if it has none: a comparison drops missing data."""
    if share := _SHARE.fullmatch(expression):
        part, whole = values
        return part and (100 * part / whole if whole and part >= int(share[1]) else 0.0)
    assert expression in ("", "MAX(METRICS())") or _QUERY.match(expression), "no alarm uses this"
    return max((value for value in values if value is not None), default=None)
