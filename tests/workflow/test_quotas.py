"""Embedding under a quota, on a simulated clock: no document fails, no vector is got twice, no question waits."""

from collections import Counter
from typing import Any

import pytest

from tests.support.simulated.metered import FirstLoad

pytestmark = pytest.mark.long


# How much of a quota may be used at once is not known.
@pytest.mark.parametrize(
    "burst", [10, pytest.param(1, marks=pytest.mark.long), pytest.param(60, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("a_minute", [60, 600, 2000])
def test_no_quota_fails_a_document_or_a_question_or_is_spent_twice_on_a_vector(
    a_minute: int, burst: int, record_property: Any
) -> None:
    load = FirstLoad(200, a_minute, burst)
    record_property("figures", told(load, a_minute, f"{burst} s of burst"))
    nothing_is_spent_twice_or_lost(load)
    assert load.failed == {}
    assert len(load.ready) == 200


@pytest.mark.parametrize("a_minute", [600, 2000])
def test_200_files_uploaded_at_once_are_ingested_without_the_reindexing_machine_from_600_calls_a_minute_on(
    a_minute: int, record_property: Any
) -> None:
    load = FirstLoad(200, a_minute, burst=10, at_once=200)
    record_property("figures", told(load, a_minute, "all at once"))
    nothing_is_spent_twice_or_lost(load)
    assert load.failed == {}


def test_of_200_files_uploaded_at_once_at_60_calls_a_minute_those_that_fail_say_that_the_model_was_busy(
    record_property: Any,
) -> None:
    load = FirstLoad(200, 60, burst=10, at_once=200)
    record_property("figures", told(load, 60, "all at once"))
    nothing_is_spent_twice_or_lost(load)
    assert set(load.failed.values()) == {"TemporarilyUnavailable"}


def told(load: FirstLoad, a_minute: int, how: str) -> str:
    passages, asked = sum(load.documents.values()), load.questions.total()
    return (
        f"Titan at {a_minute:,} calls a minute ({how}), {len(load.documents)} documents of {passages:,} passages: "
        f"{len(load.ready)} ready, {len(load.failed)} failed in {load.time.now / 60:.0f} min; "
        f"{asked} questions meanwhile, {load.questions['answered'] / asked:.1%} answered, "
        f"{load.warnings.total() / asked:.0%} of them by full text alone; {load.titan.refused:,} calls refused"
    )


def nothing_is_spent_twice_or_lost(load: FirstLoad) -> None:
    """No vector is got twice, no document is ready without all of its own, and questions are answered meanwhile."""
    vectors = Counter({text: times for text, times in load.titan.given.items() if not text.startswith("question")})
    assert [text for text, times in vectors.items() if times > 1] == []
    # A passage's text stands below its title.
    of_document = Counter(text.split()[-2] for text in vectors)
    assert {one: of_document[one] for one in load.ready} == {one: load.documents[one] for one in load.ready}
    assert load.questions["failed"] == 0
    assert load.questions["answered"] >= 0.99 * load.questions.total()
