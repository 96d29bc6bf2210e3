"""Recent calls shared between functions in one item of the verdict table, which may be unavailable."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from selfrag.adapters.recent_calls import ARRIVALS, REST_SECONDS, DynamoCalls
from selfrag.adapters.verdicts import DynamoVerdicts
from tests.support.tables import make_verdicts_table

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
HOUR, DAY = 3600.0, 86_400.0


class Deployment:
    """Functions that share a table; each call is one of a function that has just started, unless it is named."""

    def __init__(self, table: Any) -> None:
        self.table, self.now = table, 1_000_000.0

    def function(self, table: str = "verdicts") -> DynamoCalls:
        return DynamoCalls(self.table, table, lambda: self.now)

    def arrive(self, *after: float, step: str = "generate", model: str = SONNET) -> tuple[float, ...]:
        """Intervals that the last of several calls knows, each so many seconds after the one before it."""
        known: tuple[float, ...] = ()
        for seconds in after:
            self.now += seconds
            known = self.function().record_call(step, model).intervals
        return known


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    with mock_aws():
        yield Deployment(make_verdicts_table(boto3.client("dynamodb")))


def test_each_call_sees_intervals_of_earlier_calls(deployment: Deployment) -> None:
    assert deployment.arrive(0) == ()
    assert deployment.arrive(60) == (60,)
    assert deployment.arrive(HOUR) == (HOUR, 60)


def test_calls_side_by_side_are_one_arrival_and_know_the_same(deployment: Deployment) -> None:
    deployment.arrive(0, 60)
    assert [deployment.arrive(0.1) for _ in range(3)] == [(60,)] * 3
    assert deployment.arrive(60) == pytest.approx((60.3, 60))


def test_only_the_last_few_arrivals_are_kept(deployment: Deployment) -> None:
    many = 12 * ARRIVALS
    known = deployment.arrive(*range(100, 100 + many))
    assert known == tuple(range(99 + many, 100 + many - ARRIVALS, -1))
    [item] = deployment.table.scan(TableName="verdicts")["Items"]
    assert len(item["generate"]["L"]) < many / 2


def test_another_step_and_another_model_arrive_for_themselves(deployment: Deployment) -> None:
    deployment.arrive(0, 60)
    assert deployment.arrive(60, step="grade_support") == ()
    assert deployment.arrive(60, model=HAIKU) == ()


def test_a_function_that_has_just_looked_does_not_look_again(deployment: Deployment) -> None:
    looks: list[Any] = []
    table = SimpleNamespace(update_item=lambda **request: looks.append(request) or {})
    function = DynamoCalls(table, "verdicts", lambda: deployment.now)
    for _ in range(4):
        function.record_call("generate", SONNET)
        deployment.now += 0.2
    assert len(looks) == 2


def test_every_step_waits_for_model_that_refused(deployment: Deployment) -> None:
    deployment.function().record_refusal(HAIKU, 3)
    deployment.now += 1
    assert deployment.function().record_call("grade_utility", HAIKU).patience == pytest.approx(2)
    assert deployment.function().record_call("generate", SONNET).patience == 0
    deployment.now += 2
    assert deployment.function().record_call("generate", HAIKU).patience == 0


def test_the_longest_wish_to_be_left_holds(deployment: Deployment) -> None:
    function = deployment.function()
    for seconds in (3, 8, 2):
        function.record_refusal(HAIKU, seconds)
    assert (
        function.record_call("generate", HAIKU).patience
        == deployment.function().record_call("generate", HAIKU).patience
        == 8
    )


def test_failed_table_raises_nothing_and_is_skipped_for_a_while(deployment: Deployment) -> None:
    function = deployment.function("no-such-table")
    assert function.record_call("generate", SONNET).intervals == ()
    function.record_refusal(SONNET, 3)
    # The function also counts its own refusals.
    assert function.record_call("generate", SONNET).patience == 3
    make_verdicts_table(deployment.table, "no-such-table")
    deployment.now += REST_SECONDS - 1
    assert function.record_call("generate", SONNET).intervals == ()
    deployment.now += 1
    function.record_call("generate", SONNET)
    deployment.now += 60
    assert function.record_call("generate", SONNET).intervals == (60,)


def test_recent_calls_item_expires_and_is_not_a_verdict(deployment: Deployment) -> None:
    deployment.arrive(0)
    [item] = deployment.table.scan(TableName="verdicts")["Items"]
    assert DAY < float(item["expires_at"]["N"]) - deployment.now < 7 * DAY
    assert "verdict" not in item
    assert len(item["key"]["S"]) != 64
    cache = DynamoVerdicts(deployment.table, "verdicts", 30)
    assert cache.get("a" * 64) is None
