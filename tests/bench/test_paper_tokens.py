"""The price of the paper's own inference follows from the tokens of its calls."""

import pytest

from selfrag.runtime.models import GRADER, WRITER
from tests.bench.api.billing import Billed
from tests.bench.api.caching import Cached
from tests.bench.paper.rows import Taken
from tests.bench.paper.tokens import ANSWER, ASSUMED, SEGMENT, SUPPORT, calls_of, dollars_of, measured
from tests.bench.paper.ways import Way
from tests.bench.rows import row_of
from tests.bench.running import Asked

pytestmark = pytest.mark.long

# The specification's table: calls, and dollars with all graders small and with the stronger one for support.
SPECIFIED = [
    (13, 0.010, 0.021),
    (17, 0.014, 0.028),
    (21, 0.017, 0.035),
    (33, 0.027, 0.056),
    (32, 0.026, 0.058),
    (72, 0.061, 0.136),
    (114, 0.100, 0.226),
    (178, 0.158, 0.355),
]


def of(way: Way, *requests: Billed) -> Taken:
    usage = {"model_calls": len(requests), "rounds": 1, "cost_usd": 0.0}
    asked = Asked({"status": "answered", "usage": usage}, list(requests), [], 1.0, [])
    return Taken(way, row_of("one", "off", "balanced", 1, [asked], timed=False), asked.requests)


def test_with_the_assumed_tokens_the_dollars_are_those_of_the_specification() -> None:
    lines = list(dollars_of({kind: (sent, out) for kind, (_, sent, out) in ASSUMED.items()}))
    for line, (calls, small, strong) in zip(lines, SPECIFIED, strict=True):
        assert line["calls"] == calls
        assert line["assumed_small_usd"] == line["measured_small_usd"] == pytest.approx(small, abs=0.00051)
        assert line["assumed_strong_usd"] == line["measured_strong_usd"] == pytest.approx(strong, abs=0.00051)


def test_tokens_count_however_they_were_billed_and_by_what_the_call_was_for() -> None:
    cached = Cached(read=100, written_5m=10, written_1h=1)
    written = Billed("generate", WRITER, 0, 1, input_tokens=1000, output_tokens=20, cached=cached)
    judged = Billed("grade_support", GRADER, 1, 2, input_tokens=700, output_tokens=30)
    tokens = measured([of(Way("candidates", 3), written, judged), of(Way("segments", 3, 2), written, judged, judged)])
    assert tokens == {ANSWER: (1111, 20), SEGMENT: (1111, 20), SUPPORT: (700, 30)}
    assert [line["call"] for line in calls_of(tokens)] == [ANSWER, SEGMENT, SUPPORT]
