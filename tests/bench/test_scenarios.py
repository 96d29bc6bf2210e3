"""Rounds, calls, waste and dollars of a question, by scenario."""

from itertools import product

import pytest

from tests.bench.api.billing import total_usd
from tests.bench.api.faults import throttled
from tests.bench.running import Asked, Running
from tests.bench.scenarios import FOUR, LONG_AGO
from tests.bench.stories import SPECULATE, STORIES, Story

pytestmark = pytest.mark.long

# The most rounds that a scenario may take: with `off`, `draft` and `full`.
MOST = {
    "direct": (3, 3, 2),
    "four": (4, 2, 2),
    "two": (4, 2, 2),
    "tempted": (4, 3, 3),
    "rewritten": (6, 4, 4),
    "never": (6, 4, 4),
    "web": (8, 6, 6),
    "partly": (9, 6, 6),
    "unsupported": (6, 4, 4),
    "useless": (8, 5, 5),
}
EVERY = pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
Answers = dict[tuple[str, str], Asked]


def asked_anew(at: Running, story: Story, speculate: str, **policy: object) -> Asked:
    """Return the story's question, when nothing is remembered."""
    at.forget()
    at.api.clock.move(LONG_AGO)
    return at.ask(story.question(1), speculate=speculate, **policy)


@pytest.fixture(scope="module")
def answers(started: Running) -> Answers:
    """Every story's question, each way."""
    ways = product(STORIES.values(), SPECULATE)
    return {(story.slug, speculate): asked_anew(started, story, speculate) for story, speculate in ways}


def assert_adds_up(asked: Asked) -> None:
    """The response states what the service counted."""
    usage, billed = asked.response["usage"], asked.requests
    assert usage["model_calls"] == len(billed)
    assert usage["input_tokens"] == sum(one.input_tokens for one in billed)
    assert usage["output_tokens"] == sum(one.output_tokens for one in billed)
    assert usage["cache_read_input_tokens"] == sum(one.cached.read for one in billed)
    assert usage["cost_usd"] == pytest.approx(total_usd(billed), abs=5e-6)


@EVERY
def test_a_question_takes_no_more_rounds_than_its_story_asks_for(answers: Answers, story: Story) -> None:
    rounds = [answers[story.slug, speculate].response["usage"]["rounds"] for speculate in SPECULATE]
    assert all(took <= bound for took, bound in zip(rounds, MOST[story.slug], strict=True)), rounds
    assert all(took >= floor for took, floor in zip(rounds, story.floor, strict=True)), rounds


@EVERY
def test_what_usage_says_is_what_the_service_counted(answers: Answers, story: Story) -> None:
    for speculate in SPECULATE:
        assert_adds_up(answers[story.slug, speculate])


@EVERY
def test_what_was_asked_for_nothing_is_listed_as_waste(answers: Answers, story: Story) -> None:
    off, *ahead = (answers[story.slug, speculate].response["usage"] for speculate in SPECULATE)
    assert off["waste"]["model_calls"] == off["waste"]["cost_usd"] == 0
    for usage in ahead:
        assert usage["model_calls"] - usage["waste"]["model_calls"] == off["model_calls"]
        assert usage["model_calls"] <= 40
        assert (usage["waste"]["cost_usd"] > 0) == (usage["waste"]["model_calls"] > 0)


@pytest.mark.parametrize("retry_after", [None, 1.0])
@pytest.mark.parametrize("speculate", SPECULATE)
def test_usage_adds_up_where_every_fifth_request_is_refused(
    at: Running, speculate: str, retry_after: float | None
) -> None:
    at.api.faults = throttled(0.2, retry_after)
    asked = asked_anew(at, FOUR, speculate)
    assert any(billed.status == 429 for billed in asked.requests)
    assert asked.response["status"] == "answered"
    assert_adds_up(asked)
