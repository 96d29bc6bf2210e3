"""Embedding under a quota, on a simulated clock: no document fails, no vector is got twice, no question waits."""

from typing import Any

import pytest

from tests.support.metered import FirstLoad


# How much of a quota may be used at once is not known.
@pytest.mark.parametrize(
    "burst", [10, pytest.param(1, marks=pytest.mark.slow), pytest.param(60, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("a_minute", [60, 600, 2000])
def test_no_quota_fails_a_document_or_a_question_or_is_spent_twice_on_a_vector(
    a_minute: int, burst: int, record_property: Any
) -> None:
    load = FirstLoad(200, a_minute, burst)
    passages, asked = sum(load.documents.values()), load.questions.total()
    alone = load.warnings.total()
    record_property(
        "figures",
        f"Titan at {a_minute:,} calls a minute ({burst} s of burst), 200 documents of {passages:,} passages: "
        f"{len(load.ready)} ready, {len(load.failed)} failed in {load.time.now / 60:.0f} min; "
        f"{asked} questions meanwhile, {load.questions['answered'] / asked:.1%} answered, "
        f"{alone / asked:.0%} of them by full text alone; {load.titan.refused:,} calls refused",
    )
    vectors = {text: times for text, times in load.titan.given.items() if not text.startswith("question")}
    assert [text for text, times in vectors.items() if times > 1] == []
    assert load.failed == {}
    assert (len(load.ready), len(vectors)) == (200, passages)
    assert load.questions["failed"] == 0
    assert load.questions["answered"] >= 0.99 * asked
