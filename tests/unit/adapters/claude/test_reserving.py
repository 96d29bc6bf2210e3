"""Bedrock reserves a request's `max_tokens` from the quota: with few for a verdict, more questions fit at once."""

import re
from collections.abc import Callable

import pytest

from selfrag.adapters.claude.purse import MOST_TOKENS
from tests.support.command import ROOT
from tests.support.simulated.reserving import Reserving

A_MINUTE = 1_000_000
TABLE = (ROOT / "docs" / "sizing.md").read_text(encoding="utf-8").split("## Tokens that Bedrock reserves\n")[1]
ROWS = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| (\d+)% \| (\d+)% \|$", TABLE, re.M)


def test_at_two_questions_in_five_seconds_nothing_is_refused_where_a_third_of_the_calls_was() -> None:
    before, after = (Reserving(A_MINUTE, 0.4, 120, 3, reserved) for reserved in (MOST_TOKENS, None))
    assert after.refused == after.partial == 0
    assert before.refused > 10
    assert before.whole + before.partial == after.whole


@pytest.mark.long
@pytest.mark.parametrize(("burst", "unrefused", "unrefused_now", "whole", "whole_now"), ROWS)
def test_the_questions_a_second_that_a_quota_carries_are_those_of_the_page(
    burst: str, unrefused: str, unrefused_now: str, whole: str, whole_now: str,
    record_property: Callable[[str, object], None],
) -> None:  # fmt: skip
    for reserved, rate, share in ((MOST_TOKENS, unrefused, whole), (None, unrefused_now, whole_now)):
        most = max(tenths / 10 for tenths in range(1, 10) if not _run(tenths / 10, burst, reserved).refused)
        busy = _run(0.9, burst, reserved)
        answered = round(100 * busy.whole / (busy.whole + busy.partial))
        record_property("figures", f"{burst} s, {reserved or 'by kind'}: {most} a second unrefused, {answered}% whole")
        assert (f"{most:.1f}", str(answered)) == (rate, share)


def _run(a_second: float, burst: str, reserved: int | None) -> Reserving:
    return Reserving(A_MINUTE, a_second, 240, float(burst), reserved)
