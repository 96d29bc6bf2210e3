"""The prompt cache: marked prefixes are read before they expire."""

import pytest

from tests.bench.paces import HOUR, MINUTE, at_a_pace
from tests.bench.running import Running
from tests.bench.stories import SPECULATE

pytestmark = pytest.mark.long


def test_with_a_question_an_hour_nothing_is_marked_that_nobody_reads(at: Running) -> None:
    for speculate in SPECULATE:
        at_a_pace(at, HOUR, speculate)
        assert at.api.prompts.never_read() == []


def test_with_a_question_a_minute_everything_that_is_marked_is_read(at: Running) -> None:
    for speculate in SPECULATE:
        asked = at_a_pace(at, MINUTE, speculate)
        assert at.api.prompts.never_read() == []
        read = {billed.step for billed in asked[-1].requests if billed.cached.read}
        assert {"generate", "grade_support"} <= read
