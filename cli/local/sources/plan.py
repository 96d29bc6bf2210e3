"""What an ingestion would do, before it is done."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cli.local.place import Place
from cli.local.sources.comparison import Comparison
from cli.local.sources.report import Report, counted, outcomes
from selfrag.domain.records import Record

_VERBS = {"added": "add", "changed": "change"}


@dataclass(frozen=True)
class Plan:
    """The report that an ingestion would end with if all can be read; a line for each file that is not as it was."""

    report: Report
    lines: list[str]


def plan_of(place: Place, comparison: Comparison) -> Plan:
    """What would become of a place's files; whether one holds what can be used shows only when it is read."""
    read = Record(id="", status="ready", generation="to be read")
    after = {**comparison.before, **{path: read for path in comparison.todo if path not in comparison.unread}}
    return Plan(counted(place, comparison, after), list(_lines(comparison, after)))


def _lines(comparison: Comparison, after: Mapping[str, Record]) -> Iterator[str]:
    for path, outcome in outcomes(comparison, after).items():
        if outcome in _VERBS:
            yield f"{_VERBS[outcome]} {path}"
    for path in comparison.gone:
        if comparison.before[path].generation:
            yield f"remove {path}"
