"""Rounds, calls, waste and dollars of a question, by scenario."""

from itertools import product

import pytest

from tests.bench.api.billing import Billed, total_usd
from tests.bench.api.faults import throttled
from tests.bench.rows import row_of
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
def test_asking_ahead_changes_neither_the_answer_nor_what_was_said_of_it(answers: Answers, story: Story) -> None:
    off, *ahead = (answers[story.slug, speculate].response for speculate in SPECULATE)
    assert off["status"] == ("abstained" if story.slug == "never" else "answered")
    for response in ahead:
        for part in ("status", "answer", "citations", "reflection", "queries"):
            assert response[part] == off[part]


@EVERY
def test_what_was_asked_for_nothing_is_listed_as_waste(answers: Answers, story: Story) -> None:
    off, *ahead = (answers[story.slug, speculate].response["usage"] for speculate in SPECULATE)
    assert off["waste"]["model_calls"] == off["waste"]["cost_usd"] == 0
    for usage in ahead:
        assert usage["model_calls"] - usage["waste"]["model_calls"] == off["model_calls"]
        assert usage["model_calls"] <= 40
        assert (usage["waste"]["cost_usd"] > 0) == (usage["waste"]["model_calls"] > 0)


@pytest.mark.parametrize("speculate", SPECULATE)
def test_the_same_question_again_asks_the_model_nothing(at: Running, speculate: str) -> None:
    first = asked_anew(at, FOUR, speculate)
    again = at.ask(FOUR.question(1), speculate=speculate)
    assert again.requests == []
    usage = again.response["usage"]
    assert (usage["model_calls"], usage["rounds"], usage["cost_usd"]) == (0, 0, 0)
    assert again.response["answer"] == first.response["answer"]
    assert at.ask(FOUR.question(1), speculate=speculate, cache=False).requests != []


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


def test_the_wait_that_a_refusal_asks_for_is_the_models_time_and_told_apart() -> None:
    usage = {"model_calls": 2, "rounds": 1, "cost_usd": 0.0}
    requests = [Billed("generate", "m", 0, 1, 429), Billed("generate", "m", 3, 4), Billed("grade_relevance", "m", 0, 1)]
    asked = Asked({"status": "answered", "usage": usage}, requests, [(1, 3)], 4.5, [])
    row = row_of("refused", "off", "balanced", 1, [asked], timed=True)
    assert (row.seconds, row.model_seconds, row.waited_seconds) == (4.5, 4, 2)


@pytest.mark.parametrize("speculate", SPECULATE)
def test_half_the_price_of_a_question_ends_it_as_partial_below_the_limit(at: Running, speculate: str) -> None:
    limit = total_usd(asked_anew(at, FOUR, speculate).requests) / 2
    asked = asked_anew(at, FOUR, speculate, max_cost_usd=limit)
    assert asked.response["status"] == "partial"
    assert total_usd(asked.requests) <= limit
    assert_adds_up(asked)
