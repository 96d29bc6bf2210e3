"""Which alarms of a deployment go off while a model or the search is slow, from when on, and after how many minutes.

A question searches, then reads (three steps at once), then checks (two at once); every tenth one writes and checks
again. A model takes two seconds and a search half a second, as docs/costs.md assumes, each question's own share more or
less. At its deadline a question is cut off, within a tenth of a second, and is partial.
"""

import math
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

from tests.support.infra.cloudwatch import Alarm, Samples, first_minute_in_alarm
from tests.support.infra.planned import Plan, Planner, prepared

DEADLINE = 25.0
NAME = "selfrag"
MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:selfrag-express"
# A refused search is tried six times more, after 1, 2 and four times 4 seconds; then the question has failed.
TRIES = (0.0, 1.0, 3.0, 7.0, 11.0, 15.0, 19.0)
_READ, _CHECK = ("decide_retrieval", "grade_relevance", "generate"), ("grade_support", "grade_utility")
_PASSES = [("retrieve",), _READ, _CHECK]
_SPREAD, _OVERHEAD = 0.3, 0.2


@dataclass(frozen=True)
class Service:
    """How long a call of the model and a search take in seconds; a search that is refused ends at once."""

    model: float = 2.0
    search: float = 0.5
    refused: bool = False


# By the column of the table, each from the least trouble on.
SERIES = {
    "a model x times as slow": {f"x{factor:g}": Service(model=2 * factor) for factor in (1.5, 2, 3, 3.5, 4, 4.5, 5, 6)},
    "a search of so many seconds": {f"{seconds} s": Service(search=seconds) for seconds in range(2, 24, 2)},
    "a search that hangs": {"": Service(search=math.inf)},
    "a search that is refused": {"": Service(refused=True)},
}


def steady(a_minute: float, minutes: float, service: Service, hanging: int = 0) -> Samples:
    """Return the metrics of questions that come evenly; every `hanging`th one meets a model that does not answer."""
    numbers = range(round(a_minute * minutes))
    hangs = [bool(hanging) and number % hanging == hanging - 1 for number in numbers]
    return asked((n / a_minute, Service(model=math.inf) if hangs[n] else service) for n in numbers)


def asked(questions: Iterable[tuple[float, Service]]) -> Samples:
    """Return the metrics of questions that arrive at given minutes under given conditions."""
    samples: Samples = {}
    for number, (minute, service) in enumerate(questions):
        _ask(samples, 60 * minute, service, number)
    return samples


def add(
    samples: Samples, second: float, namespace: str, name: str, dimensions: Mapping[str, str], value: float
) -> None:
    """Add a value of a metric."""
    metric = (namespace, name, frozenset(dimensions.items()))
    samples.setdefault(metric, {}).setdefault(int(second // 60), []).append(value)


def _ask(samples: Samples, begin: float, service: Service, number: int) -> None:
    """Add the metrics of a question; its number decides how fast its calls are, and whether it is repaired."""
    share = math.exp(_SPREAD * NormalDist().inv_cdf((0.5 + number * 0.6180339887) % 1))
    clock, status = 0.0, "answered"
    for steps in [*_PASSES, *([("generate",), _CHECK] if number % 10 == 9 else [])]:
        if steps == ("retrieve",) and service.refused:
            for second in TRIES:
                _step(samples, begin + second, "retrieve", 0.1, failed=True)
            clock, status = TRIES[-1] + 0.1, "failed"
            break
        takes = service.search if steps == ("retrieve",) else service.model * share
        left = max(DEADLINE - clock, 0.0)
        for step in steps:
            _step(samples, begin + clock + min(takes, left), step, min(takes, left), failed=takes > left)
        clock += min(takes, left) + _OVERHEAD
        if takes > left:
            clock, status = DEADLINE + 0.1, "partial"
            break
    end = begin + clock
    add(samples, end, "AWS/States", "ExecutionTime", {"StateMachineArn": MACHINE}, 1000 * clock)
    add(samples, end, NAME, "Questions", {"status": status}, 1)
    add(samples, end, NAME, "RetrievedQuestions", {"step": "compose_answer"}, 1)


def _step(samples: Samples, end: float, step: str, seconds: float, *, failed: bool) -> None:
    add(samples, end, NAME, "Latency", {"step": step}, 1000 * seconds)
    add(samples, end, NAME, "Errors", {"step": step}, float(failed))
    if failed and step == "retrieve":
        add(samples, end, "AWS/Lambda", "Errors", {"FunctionName": f"{NAME}-{step}"}, 1)


def alarms_of(plan: Plan) -> dict[str, Alarm]:
    """Return the alarms of a plan by the suffixes of their names."""
    prefix = 'aws_cloudwatch_metric_alarm.alarm["'
    found = ((address, alarm) for address, alarm in plan.resources.items() if address.startswith(prefix))
    return {address.removeprefix(prefix)[:-2]: alarm for address, alarm in found}


def on_after(alarms: Mapping[str, Alarm], samples: Samples, minutes: int = 30) -> dict[str, int]:
    """Return the alarms that go off, with their first minute."""
    found = {name: first_minute_in_alarm(alarm, samples, minutes) for name, alarm in alarms.items()}
    return {name: minute for name, minute in found.items() if minute}


def table(alarms: Mapping[str, Alarm]) -> str:
    """Return the table of docs/run.md: ten questions a minute, and from which trouble on each alarm goes off."""
    found: dict[str, list[str]] = {}
    for column, grades in enumerate(SERIES.values()):
        for grade, service in grades.items():
            for name, minute in on_after(alarms, steady(10, 30, service)).items():
                cells = found.setdefault(name, [""] * len(SERIES))
                cells[column] = cells[column] or f"{grade}: {minute} min".removeprefix(": ")
    rows = [["Alarm", *SERIES], ["---"] * 5, *([f"`{name}`", *cells] for name, cells in sorted(found.items()))]
    return "\n".join("|" + "".join(f" {cell} |".replace("  ", " ") for cell in cells) for cells in rows)


def run() -> None:
    """Plan a deployment, and print the table."""
    with tempfile.TemporaryDirectory() as directory:
        sys.stdout.write(table(alarms_of(Planner(prepared(Path(directory)))())) + "\n")
