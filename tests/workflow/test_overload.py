"""More questions at once than the account may run functions: some are refused at the door, and none half-way."""

from typing import Any

import pytest

from selfrag.domain.questions import Policy
from tests.support.simulated.overload import SHARE, Overload

pytestmark = pytest.mark.long

LIMIT, SECONDS = 200, 60
# A question takes the functions some 26 s.
CARRIED = LIMIT / 26


@pytest.mark.parametrize("times", [1.5, 3])
def test_with_a_share_for_ask_no_question_that_was_taken_is_lost(times: float, record_property: Any) -> None:
    shared, free = (
        Overload(LIMIT, reserved, Policy().top_k, times * CARRIED, SECONDS).ended for reserved in (LIMIT * SHARE, 0)
    )
    told = "; ".join(
        f"{name} {ended['answered']} answered, {ended['refused']} refused, {ended['lost']} lost"
        for name, ended in (("with a share for ask", shared), ("without", free))
    )
    record_property("figures", f"{times} times as many questions as {LIMIT} functions carry, in {SECONDS} s: {told}")
    assert (shared["lost"], shared["refused"] > 0) == (0, True)
    assert free["lost"] > 20


def test_with_the_most_passages_hardly_one_is_lost() -> None:
    ended = Overload(LIMIT, LIMIT * SHARE, 10, 3 * CARRIED, SECONDS).ended
    assert ended["lost"] <= 0.05 * ended["answered"]


def test_nobody_is_refused_well_below_the_limit() -> None:
    assert Overload(LIMIT, LIMIT * SHARE, Policy().top_k, CARRIED / 4, SECONDS).ended.keys() == {"answered"}
