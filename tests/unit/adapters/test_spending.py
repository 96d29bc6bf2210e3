"""The daily cap: whatever is lost on the way, the questions of a day cost no more than it."""

import os
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import boto3
import pytest
from botocore.exceptions import ReadTimeoutError
from moto import mock_aws

from selfrag.adapters.spending import DynamoSpending
from selfrag.domain.errors import TemporarilyUnavailable
from tests.support.aws.resources import REQUESTS_TABLE, make

NOON = 1_796_040_000.0  # of 2026-11-30
DAY = 86_400.0
CAP = 1.0
# moto compares and writes in two steps; an engine of DynamoDB does not.
_alone = nullcontext() if "AWS_ENDPOINT_URL_DYNAMODB" in os.environ else threading.Lock()


class Line:
    """A connection to the table on which the write of this number is lost, or its reply."""

    def __init__(self, lost: int | None = None, arrives: bool = True) -> None:
        self._client, self._left, self._arrives = boto3.client("dynamodb"), lost, arrives
        self.meta = self._client.meta

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            lost = self._left == 0
            self._left = None if self._left is None else self._left - 1
            if lost and not self._arrives:
                raise ReadTimeoutError(endpoint_url="")
            with _alone:
                reply = getattr(self._client, operation)(**request)
            if lost:
                raise ReadTimeoutError(endpoint_url="")
            return reply

        return call


@pytest.fixture
def table() -> Iterator[None]:
    with mock_aws():
        make()
        yield


def spending(lost: int | None = None, arrives: bool = True, cap: float = CAP) -> DynamoSpending:
    return DynamoSpending(Line(lost, arrives), REQUESTS_TABLE, cap)


def items() -> dict[str, Any]:
    return {item["id"]["S"]: item for item in boto3.client("dynamodb").scan(TableName=REQUESTS_TABLE)["Items"]}


def committed(day: str = "2026-11-30") -> float:
    """Return the dollars of a day that are spent or reserved."""
    return int(items().get(f"spending#{day}", {}).get("committed", {"N": "0"})["N"]) / 1_000_000


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_lost_a_day_costs_no_more_than_its_cap(table: None, seed: int) -> None:
    draw = random.Random(seed)
    limits = [draw.randint(1, 60) / 100 for _ in range(draw.randint(1, 8))]
    costs = [round(limit * draw.random(), 6) for limit in limits]
    lines = [spending(draw.choice([None, None, 0, 1, 2, 3]), draw.random() < 0.5) for _ in limits]
    # Each question begins, and its end is composed up to three times, between the steps of others.
    turns = [number for number in range(len(limits)) for _ in range(draw.randint(1, 4))]
    draw.shuffle(turns)
    begun, started, lossy = set[int](), set[int](), set[int]()
    # The least and the most that each question may count.
    least, most = dict.fromkeys(turns, 0.0), dict.fromkeys(turns, 0.0)
    for number in turns:
        before, question = items(), str(number)
        try:
            if number not in begun:
                begun.add(number)
                if lines[number].reserve(question, limits[number], NOON):
                    started.add(number)
                    least[number] = most[number] = limits[number]
                else:
                    assert items() == before, "a refused question writes nothing"
            elif number in started:
                lines[number].settle(question, costs[number])
                least[number] = costs[number]
                most[number] = limits[number] if number in lossy else costs[number]
        except TemporarilyUnavailable:
            lossy.add(number)
            least[number] = costs[number] if number in started else 0.0
            most[number] = limits[number]
        assert sum(least.values()) - 1e-9 <= committed() <= min(CAP, sum(most.values())) + 1e-9


def test_concurrent_questions_start_only_within_the_cap(table: None) -> None:
    # The sum is exact: ten tenths are a dollar.
    with ThreadPoolExecutor(8) as threads:
        reserved = list(threads.map(lambda number: spending().reserve(f"q{number}", 0.1, NOON), range(24)))
        assert (reserved.count(True), committed()) == (10, CAP)
        settled = [f"q{number}" for number in range(24)] * 3
        list(threads.map(lambda question: spending().settle(question, 0.05), settled))
    assert committed() == 0.5
    assert [key for key in items() if key.startswith("reservation#")] == []


def test_question_over_midnight_is_settled_on_its_first_day(table: None) -> None:
    last_second = NOON + DAY / 2 - 1
    assert spending().reserve("late", 0.6, last_second)
    assert not spending().reserve("later", 0.6, last_second)
    assert spending().reserve("early", 0.6, last_second + 1)
    spending().settle("late", 0.2)
    assert (committed(), committed("2026-12-01")) == (0.2, 0.6)
    assert spending().reserve("late again", 0.8, last_second)


def test_an_item_of_the_cap_is_there_for_two_days(table: None) -> None:
    assert spending().reserve("q", 0.5, NOON)
    assert {key: int(item["expiration"]["N"]) - NOON for key, item in items().items()} == {
        "spending#2026-11-30": 2 * DAY,
        "reservation#q": 2 * DAY,
    }


@pytest.mark.parametrize("limit", [1.01, 100])
def test_limit_above_cap_is_never_reserved(table: None, limit: float) -> None:
    assert not spending().reserve("q", limit, NOON)
    assert items() == {}
