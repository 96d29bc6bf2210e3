"""Prices of a question of four relevant passages by the dated price table, by profile and by pace."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from selfrag.domain.questions import Policy
from tests.bench.api.clock import standing
from tests.bench.api.server import MessagesApi
from tests.bench.paces import at_a_pace
from tests.bench.running import Running, running
from tests.bench.scenarios import BEFORE, HOUR, MINUTE
from tests.bench.stories import STORIES

pytestmark = pytest.mark.long


@contextmanager
def profiled(profile: str) -> Iterator[Running]:
    clock = standing()
    with running(MessagesApi(clock=clock), profile, sleep=clock.move) as at:
        yield at


@pytest.mark.parametrize(("profile", "warm", "cold"), [("thrifty", 2.50, 4.00), ("balanced", 5.00, 9.00)])
def test_a_thousand_questions_cost_no_more_than_the_profile_promises(profile: str, warm: float, cold: float) -> None:
    with profiled(profile) as at:
        for seconds, most in ((MINUTE, warm), (HOUR, cold)):
            last = at_a_pace(at, seconds, Policy().speculate, BEFORE + 1)[-1].response
            assert 1000 * (last["usage"]["cost_usd"] - last["usage"]["waste"]["cost_usd"]) <= most


def test_where_one_model_judges_support_a_repair_takes_four_rounds() -> None:
    with profiled("strict") as at:
        mended = at.ask(STORIES["unsupported"].question(1), speculate="draft").response
    assert (mended["status"], mended["usage"]["rounds"]) == ("answered", 4)
