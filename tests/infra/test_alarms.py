"""Alarms, planned without AWS: few enough to read, none of the functions without one, and each in the documentation."""

import re

import pytest

from bench import costs
from tests.support.infra.made import metrics_of, of_kind
from tests.support.infra.planned import Plan, Planner
from tests.support.infra.rules import functions_of
from tests.support.infra.tools import ROOT

PREFIX = 'aws_cloudwatch_metric_alarm.alarm["'
# The steps that may call the model cache its verdicts, and a query's price is counted by the step that emits its
# metric.
OF_A_QUERY = 6


@pytest.fixture
def usual(planned: Planner) -> Plan:
    return planned()


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_deployment_has_at_most_205_resources_and_23_alarms(usual: Plan) -> None:
    made = [address for address in usual.resources if not address.startswith("data.")]
    assert len(made) <= 205
    assert len([address for address in made if address.startswith(PREFIX)]) <= 23


def test_a_small_deployment_has_alarms_for_a_dollar_and_no_dashboard(planned: Planner, usual: Plan) -> None:
    small = planned(observability="small", thresholds={"daily_usd": 20}).resources
    alarms = of_kind(small, "aws_cloudwatch_metric_alarm")
    assert sum(len(metrics_of(alarm)) for alarm in alarms) <= 10
    assert of_kind(small, "aws_cloudwatch_dashboard") == []
    assert [alarm["alarm_name"] for alarm in alarms if "dashboard" in alarm["alarm_description"]] == []
    section = page("run.md").partition('`observability = "small"` keeps')[2].partition("\n\n")[0]
    kept = {address.removeprefix(PREFIX)[:-2] for address in small if address.startswith(PREFIX)}
    assert kept == set(
        re.findall(r"`([\w-]+)`", section.replace("both latencies", "`express-latency`, `standard-latency`"))
    )
    full = {address for address in usual.resources if address.startswith(PREFIX)}
    assert {f'{PREFIX}{name}"]' for name in kept - {"spending"}} <= full


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_no_function_fails_or_is_refused_without_an_alarm_that_names_it(usual: Plan, metric: str) -> None:
    watched = {}
    for alarm in of_kind(usual.resources, "aws_cloudwatch_metric_alarm"):
        for part in (part for query in alarm["metric_query"] for part in query["metric"]):
            if (part["namespace"], part["metric_name"]) == ("AWS/Lambda", metric):
                watched[part["dimensions"]["FunctionName"].removeprefix("selfrag-")] = alarm["alarm_description"]
    # Errors of the authorizer are requests without a key; one that fails shows as a 5xx of the API.
    assert watched.keys() == functions_of() - {"authorize"}
    assert [step for step, says in watched.items() if not re.search(rf"\b{step}\b", says)] == []


def test_every_widget_that_an_alarm_names_is_on_the_dashboard(usual: Plan) -> None:
    said = "".join(each["alarm_description"] for each in of_kind(usual.resources, "aws_cloudwatch_metric_alarm"))
    text = (ROOT / "infra" / "dashboard.tf").read_text(encoding="utf-8")
    named = set(re.findall(r'widget "([^"]+)"', said))
    assert len(named) >= 5
    assert [title for title in named if title not in text] == []


def test_every_alarm_describes_its_remedy_and_notifies(usual: Plan) -> None:
    alarms = of_kind(usual.resources, "aws_cloudwatch_metric_alarm")
    assert [alarm["alarm_name"] for alarm in alarms if not 60 < len(alarm["alarm_description"]) <= 1024] == []
    assert all(alarm["threshold"] is not None and alarm["treat_missing_data"] for alarm in alarms)
    assert all(alarm["alarm_actions"] and alarm["ok_actions"] for alarm in alarms)


def test_a_collection_that_grows_dear_is_told_of(usual: Plan) -> None:
    alarms = of_kind(usual.resources, "aws_cloudwatch_metric_alarm")
    [units] = [alarm for alarm in alarms if {name for _, name, _ in metrics_of(alarm)} == {"SearchOCU", "IndexingOCU"}]
    # AWS adds up each minute's units, and the alarms look at five minutes; half a unit more than the four is too much.
    assert units["threshold"] == 5 * 4.5


def test_the_page_of_deployment_lists_every_alarm(usual: Plan) -> None:
    made = {address.removeprefix(PREFIX)[:-2] for address in usual.resources if address.startswith(PREFIX)}
    section = page("run.md").partition("### Alarms\n")[2].partition("\n### ")[0]
    table = section.partition("| Alarm |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)`", table, re.M)) == made


def looked_at(plan: Plan) -> int:
    """Return how many metrics the alarms look at; a query's are those of the steps that emit them."""
    alarms = of_kind(plan.resources, "aws_cloudwatch_metric_alarm")
    return sum(
        OF_A_QUERY if alarm["metric_query"] and not any(query["metric"] for query in alarm["metric_query"])
        else len(metrics_of(alarm))
        for alarm in alarms
    )  # fmt: skip


def test_the_page_of_costs_counts_what_the_plan_has(planned: Planner, usual: Plan) -> None:
    counted = {"full": looked_at(usual), "small": looked_at(planned(observability="small"))}
    assert counted == costs.ALARM_METRICS
    assert len(of_kind(usual.resources, "aws_secretsmanager_secret")) == costs.SECRETS
    started = [of["memory_size"] for of in planned(snap_start=True).functions if of["snap_start"]]
    assert sorted(started) == sorted(costs.WARM_MEMORY)


def test_a_days_dollars_call_an_operator_where_a_limit_is_set(planned: Planner, usual: Plan) -> None:
    address = f'{PREFIX}spending"]'
    assert address not in usual.resources
    alarm = planned(thresholds={"daily_usd": 20}).resources[address]
    assert (alarm["metric_name"], alarm["statistic"], alarm["period"]) == ("QuestionCostUsd", "Sum", 86400)
    assert (alarm["threshold"], alarm["dimensions"]) == (20, {"step": "compose_answer"})
