"""What a question takes, by scenario: rounds, calls, and the dollars that its usage states."""

import pytest

from tests.bench.api.billing import total_usd
from tests.bench.api.faults import throttled
from tests.bench.running import Asked, Running
from tests.bench.scenarios import FOUR, asking, possible
from tests.bench.stories import STORIES, Story

# The most rounds that a scenario may take: with `off`, `draft` and `full`.
MOST = {
    "direct": (3, 3, 2),
    "four": (4, 2, 2),
    "two": (4, 2, 2),
    "rewritten": (6, 4, 4),
    "never": (6, 4, 4),
    "web": (8, 6, 6),
    "partly": (9, 6, 6),
    "unsupported": (6, 4, 4),
    "useless": (8, 5, 5),
}
EVERY = pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)


def ask(at: Running, story: Story, speculate: str = "off", number: int = 1) -> Asked:
    return at.ask(story.question(number), **asking(speculate))


def assert_adds_up(asked: Asked) -> None:
    """The response states what the service counted."""
    usage, billed = asked.response["usage"], asked.requests
    assert usage["model_calls"] == len(billed)
    assert usage["input_tokens"] == sum(one.input_tokens for one in billed)
    assert usage["output_tokens"] == sum(one.output_tokens for one in billed)
    assert usage["cache_read_input_tokens"] == sum(one.cached.read for one in billed)
    assert usage["cost_usd"] == pytest.approx(total_usd(billed), abs=1e-5)


@EVERY
def test_what_usage_says_is_what_the_service_counted(at: Running, story: Story) -> None:
    for speculate in possible():
        at.forget()
        assert_adds_up(ask(at, story, speculate))


@pytest.mark.parametrize("retry_after", [None, 1.0])
def test_so_it_is_where_every_fifth_request_is_refused(at: Running, retry_after: float | None) -> None:
    for speculate in possible():
        at.forget()
        at.api.faults = throttled(0.2, retry_after)
        asked = ask(at, FOUR, speculate)
        assert any(billed.status == 429 for billed in asked.requests)
        assert_adds_up(asked)
