"""Which alarms go off while models or the search are slow, and which stay off at night, by CloudWatch's rules."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from bench.alarms import DEADLINE, NAME, TRIES, Service, add, alarms_of, asked, on_after, steady, table
from selfrag.domain.policy import Policy
from tests.support.definition import MACHINE, tasks
from tests.support.infra.cloudwatch import Alarm, Samples, is_on
from tests.support.infra.planned import Planner
from tests.support.infra.rules import local_values, text_of
from tests.support.infra.tools import INFRA, ROOT
from tests.support.intake import BEGIN, Intake, uploaded

Alarms = Mapping[str, Alarm]
NORMAL, CUT, REFUSED = Service(), Service(search=math.inf), Service(refused=True)
NIGHT = (60, 200, 400)


@pytest.fixture
def alarms(planned: Planner) -> Alarms:
    return alarms_of(planned())


# AWS's examples: data points to alarm, of three; five data points; and the states if missing ones are (not) breaching.
TABLES = """
3 0-X-X OK OK       3 0---- OK OK       3 ----- ALARM OK    3 0XX-X ALARM ALARM   3 ----X ALARM OK
2 0-X-X ALARM ALARM 2 00X0X ALARM ALARM 2 0-X-- ALARM OK    2 ----0 ALARM OK      2 ----X ALARM OK
"""


def test_the_tables_of_aws_on_missing_data_hold_here() -> None:
    words = TABLES.split()
    for wanted, points, *states in zip(*[iter(words)] * 4, strict=True):
        values = [{"0": 0.0, "X": 1.0, "-": None}[point] for point in points]
        alarm = {"evaluation_periods": 3, "datapoints_to_alarm": int(wanted), "threshold": 0.5}
        alarm["comparison_operator"] = "GreaterThanThreshold"
        on = [is_on({**alarm, "treat_missing_data": missing}, values) for missing in ("breaching", "notBreaching")]
        assert ["ALARM" if each else "OK" for each in on] == states, (wanted, points)


def test_latency_alarms_fire_at_80_percent_of_the_default_deadline(alarms: Alarms, planned: Planner) -> None:
    [deadline_ms] = [block["deadline_ms"] for block in local_values(text_of(INFRA)) if "deadline_ms" in block]
    assert deadline_ms == 1000 * Policy().deadline_seconds == 1000 * DEADLINE
    assert {alarms[f"{machine}-latency"]["threshold"] for machine in ("express", "standard")} == {800 * DEADLINE}
    assert alarms_of(planned(thresholds={"express_p99_ms": 9000}))["express-latency"]["threshold"] == 9000


def test_the_series_try_a_search_as_often_as_the_definition_does(alarms: Alarms) -> None:
    [search] = [task.body for task in tasks(MACHINE) if task.name == "Retrieve"]
    assert sum(retrier["MaxAttempts"] for retrier in search["Retry"]) + 1 == len(TRIES)


@pytest.mark.parametrize("a_minute", [2, 10, 60])
def test_ten_percent_partial_answers_raise_an_alarm_within_15_minutes(alarms: Alarms, a_minute: int) -> None:
    assert on_after(alarms, steady(a_minute, 15, NORMAL, hanging=10), 15)


@pytest.mark.parametrize(
    "samples",
    [steady(10, 120, NORMAL), *(asked((minute, each) for minute in NIGHT) for each in (NORMAL, CUT, REFUSED))],
    ids=["busy day", "night", "night with a collection that sleeps", "night with one that refuses until it is awake"],
)
def test_no_alarm_fires_on_normal_day_or_sparse_night(alarms: Alarms, samples: Samples) -> None:
    assert on_after(alarms, samples, 480) == {}


def test_three_cut_off_questions_in_quarter_hour_raise_alarm(alarms: Alarms) -> None:
    assert "questions-partial" not in on_after(alarms, asked((minute, CUT) for minute in (60, 65)), 120)
    assert on_after(alarms, asked((minute, CUT) for minute in (60, 65, 70)), 120)["questions-partial"] == 71


def test_run_page_lists_alarms_and_their_thresholds(alarms: Alarms) -> None:
    assert table(alarms) in (ROOT / "docs" / "run.md").read_text(encoding="utf-8"), table(alarms)


def uploads(files: int, apart: float, seconds: float, **options: Any) -> Samples:
    """Return the metrics of 12 hours of uploads by the definition, each ingested in so many seconds."""
    result = {"action": "read", "unfinished": options.pop("unfinished", False)}
    intake = Intake(lambda _, end: intake.clock.after(seconds, lambda: end(result)), {"uploads": 1}, **options)
    for number in range(files):
        intake.send(uploaded(f"c/{number}.md"), number * apart)
    intake.clock.after(0, lambda: intake.tick(900, BEGIN + 43_200))
    intake.clock.run(BEGIN + 43_200)
    samples: Samples = {}
    for moment, name, dimensions, value in intake.metrics:
        add(samples, moment - BEGIN, NAME, name, dimensions, value)
    return samples


def test_uploads_that_wait_set_their_alarm_off_and_others_do_not(alarms: Alarms) -> None:
    alarm, at_once = {"uploads-waiting": alarms["uploads-waiting"]}, uploads(300, 0.1, 30)
    died = uploads(3, 1, 10, dies=lambda run: run.name == "execution-1" and run.transitions == 6)
    assert [on_after(alarm, samples, 720) for samples in (uploads(40, 900, 10), at_once, died)] == [{}, {}, {}]
    assert at_once, "it reports while uploads wait"
    # Titan throttles most calls: the first document retries for hours, and the second one waits.
    assert 360 <= on_after(alarm, uploads(2, 1, 3600, unfinished=True), 720)["uploads-waiting"] <= 376
