"""Which alarms go off while models or the search are slow, and which stay off at night, by CloudWatch's rules."""

import math
from collections.abc import Iterable
from typing import Any

import pytest

from selfrag.domain.policy import Policy
from tests.support.definition import MACHINE, tasks
from tests.support.infra.cloudwatch import Samples, first_minute_in_alarm, is_on
from tests.support.infra.planned import Planner
from tests.support.infra.rules import local_values, text_of
from tests.support.infra.series import DEADLINE, NAME, TRIES, Service, at_minutes, steady
from tests.support.infra.tools import INFRA, ROOT
from tests.support.intake import BEGIN, Intake, uploaded

Alarms = dict[str, dict[str, Any]]
NORMAL, CUT = Service(), Service(search=math.inf)
SLOWER = (1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6)
SEARCH_SECONDS = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22)
HOUR = 3600
# The header of docs/run.md has the same series.
SERIES = {
    "a model x times as slow": {f"x{factor:g}": Service(model=2 * factor) for factor in SLOWER},
    "a search of so many seconds": {f"{seconds} s": Service(search=seconds) for seconds in SEARCH_SECONDS},
    "a search that hangs": {"": CUT},
    "a search that is refused": {"": Service(refused=True)},
}


@pytest.fixture
def alarms(planned: Planner) -> Alarms:
    prefix = 'aws_cloudwatch_metric_alarm.alarm["'
    resources = planned().resources.items()
    return {address.removeprefix(prefix)[:-2]: alarm for address, alarm in resources if address.startswith(prefix)}


def on_after(alarms: Alarms, samples: Samples, minutes: int = 30) -> dict[str, int]:
    """Return the alarms that go off, with their first minute."""
    found = {name: first_minute_in_alarm(alarm, samples, minutes) for name, alarm in alarms.items()}
    return {name: minute for name, minute in found.items() if minute}


@pytest.mark.parametrize(
    ("of_3", "points", "on_if_breaching", "on"),
    [
        (3, "0-X-X", False, False),
        (3, "0----", False, False),
        (3, "-----", True, False),
        (3, "0XX-X", True, True),
        (3, "----X", True, False),
        (2, "0-X-X", True, True),
        (2, "00X0X", True, True),
        (2, "0-X--", True, False),
        (2, "----0", True, False),
        (2, "----X", True, False),
    ],
)
def test_the_tables_of_aws_on_missing_data_hold_here(of_3: int, points: str, on_if_breaching: bool, on: bool) -> None:
    alarm = {
        "evaluation_periods": 3,
        "datapoints_to_alarm": of_3,
        "threshold": 1,
        "comparison_operator": "GreaterThanOrEqualToThreshold",
    }
    values = [{"0": 0.0, "X": 1.0, "-": None}[point] for point in points]
    assert is_on({**alarm, "treat_missing_data": "breaching"}, values) is on_if_breaching
    assert is_on({**alarm, "treat_missing_data": "notBreaching"}, values) is on


def test_the_latency_alarms_go_off_at_0_8_of_the_deadline_that_a_question_has_by_default(
    alarms: Alarms, planned: Planner
) -> None:
    assert Policy().deadline_seconds == DEADLINE
    [deadline_ms] = [block["deadline_ms"] for block in local_values(text_of(INFRA)) if "deadline_ms" in block]
    assert deadline_ms == 1000 * DEADLINE
    assert {alarms[f"{machine}-latency"]["threshold"] for machine in ("express", "standard")} == {800 * DEADLINE}
    own = planned(thresholds={"express_p99_ms": 9000}).resources
    assert own['aws_cloudwatch_metric_alarm.alarm["express-latency"]']["threshold"] == 9000


def test_the_series_try_a_search_as_often_as_the_definition_does(alarms: Alarms) -> None:
    [search] = [task.body for task in tasks(MACHINE) if task.name == "Retrieve"]
    assert sum(retrier["MaxAttempts"] for retrier in search["Retry"]) + 1 == len(TRIES)
    # So that one question which finds the collection asleep calls nobody.
    assert len(TRIES) < alarms["other-functions-errors"]["threshold"]


@pytest.mark.parametrize("a_minute", [2, 10, 60])
def test_a_model_that_leaves_a_tenth_of_the_questions_partial_sets_an_alarm_off_within_15_minutes(
    alarms: Alarms, a_minute: int
) -> None:
    assert min(on_after(alarms, steady(a_minute, 15, NORMAL, hanging=10), 15).values()) <= 15


@pytest.mark.parametrize(
    "samples",
    [
        steady(10, 120, NORMAL),
        at_minutes([60, 200, 400], NORMAL),
        at_minutes([60, 200, 400], CUT),
        at_minutes([60, 200, 400], Service(refused=True)),
        at_minutes([60, 61, 63], NORMAL),
    ],
    ids=["busy day", "night", "night with a collection that sleeps", "night with one that refuses", "three at once"],
)
def test_no_alarm_goes_off_on_a_normal_day_or_for_the_three_questions_of_a_night(
    alarms: Alarms, samples: Samples
) -> None:
    assert on_after(alarms, samples, 480) == {}


def test_three_questions_of_a_quarter_of_an_hour_that_are_all_cut_off_are_a_pattern(alarms: Alarms) -> None:
    assert "questions-partial" not in on_after(alarms, at_minutes([60, 65], CUT), 120)
    assert on_after(alarms, at_minutes([60, 65, 70], CUT), 120)["questions-partial"] == 71


def test_the_page_has_the_table_of_the_alarms_and_from_when_on_each_goes_off(alarms: Alarms) -> None:
    found: dict[str, list[str]] = {}
    for column, (_, grades) in enumerate(SERIES.items()):
        for grade, service in grades.items():
            for name, minute in on_after(alarms, steady(10, 30, service)).items():
                cells = found.setdefault(name, [""] * len(SERIES))
                cells[column] = cells[column] or f"{grade}: {minute} min".removeprefix(": ")
    rows = [["Alarm", *SERIES], ["---"] * 5, *([f"`{name}`", *cells] for name, cells in sorted(found.items()))]
    table = "\n".join("|" + "".join(f" {cell} |".replace("  ", " ") for cell in cells) for cells in rows)
    assert table in (ROOT / "docs" / "run.md").read_text(encoding="utf-8"), table


def uploads(keys: Iterable[str], apart: float, seconds: float, result: Any, hours: float, **options: Any) -> Samples:
    """Return the metrics of uploads by the definition: each is ingested in so many seconds, with this result."""
    intake = Intake(lambda _, end: intake.clock.after(seconds, lambda: end(result)), {"uploads": 1}, **options)
    for number, key in enumerate(keys):
        intake.send(uploaded(key), number * apart)
    intake.clock.after(0, lambda: intake.tick(900, BEGIN + hours * HOUR))
    intake.clock.run(BEGIN + hours * HOUR)
    samples = Samples()
    for moment, name, dimensions, value in intake.metrics:
        samples.add(moment - BEGIN, NAME, name, dimensions, value)
    return samples


READY, UNFINISHED = {"action": "read", "unfinished": False}, {"action": "read", "unfinished": True}


def test_uploads_that_wait_set_their_alarm_off_and_others_do_not(alarms: Alarms) -> None:
    alarm = {"uploads-waiting": alarms["uploads-waiting"]}
    files = [f"c/{number}.md" for number in range(300)]
    normal = uploads(files[:40], 900, 10, READY, 12)
    at_once = uploads(files, 0.1, 30, READY, 4)
    died = uploads(files[:3], 1, 10, READY, 12, dies=lambda run: run.name == "execution-1" and run.transitions == 6)
    assert [on_after(alarm, samples, 720) for samples in (normal, at_once, died)] == [{}, {}, {}]
    assert at_once.of, "it reports while uploads wait"
    # Titan refuses most calls: the first document goes on hour after hour, and the second one waits.
    stuck = on_after(alarm, uploads(files[:2], 1, HOUR, UNFINISHED, 12), 720)
    assert 360 <= stuck["uploads-waiting"] <= 376
