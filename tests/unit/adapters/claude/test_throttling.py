"""A deployment that is being throttled asks less at once: the functions tell each other what one of them was told."""

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from selfrag.adapters.recent_calls import DynamoCalls
from tests.support.asking import MemoryCalls
from tests.support.simulated.throttling import Throttled
from tests.support.tables import make_verdicts_table

pytestmark = pytest.mark.long


@pytest.fixture
def table() -> Iterator[Any]:
    with mock_aws():
        yield make_verdicts_table(boto3.client("dynamodb"))


def test_of_twenty_questions_at_once_nothing_is_given_up_and_few_requests_are_refused(
    table: Any, record_property: Callable[[str, str], None]
) -> None:
    alone = Throttled(20, 10, lambda now: MemoryCalls())
    together = Throttled(20, 10, lambda now: DynamoCalls(table, "verdicts", now))
    record_property(
        "figures",
        f"20 questions at once, 10 requests a second: each for itself {dict(alone.requests)} in {alone.seconds:.1f} s, "
        f"told by each other {dict(together.requests)} in {together.seconds:.1f} s",
    )
    assert alone.requests["given up"] > 0
    assert (together.requests["accepted"], together.requests["given up"]) == (8 * 20, 0)
    assert together.requests["refused"] < alone.requests["refused"] / 4
