"""Ingestion under the quotas of an account, on a simulated clock: every document is ready, no question is refused."""

from collections import Counter
from typing import Any

import pytest

from tests.support.simulated.metered import Load, default_of, places

pytestmark = pytest.mark.long


# An account of 10 functions carries a question every 26 seconds.
@pytest.mark.parametrize(("functions", "between"), [(10, 30.0), (1_000, 5.0)])
@pytest.mark.parametrize(
    ("a_minute", "uploads"),
    [(60, 10), (60, 50), (600, 200), (600, 1_000), (2_000, 1_000), pytest.param(60, 1_000, marks=pytest.mark.long)],
)
def test_however_many_files_come_at_once_no_question_is_refused_and_every_document_is_ready_in_the_end(
    functions: int, between: float, a_minute: int, uploads: int, record_property: Any
) -> None:
    load = Load(uploads, a_minute, functions, deletions=max(1, uploads // 10), between_questions=between)
    record_property("figures", told(load, a_minute, functions))
    nothing_is_spent_twice_or_lost(load)
    assert load.functions.peak <= 2 * places(functions)["upload"] + places(functions)["deletion"]
    # A function embeds, or it has ended.
    assert load.seconds_of_embedding == pytest.approx(load.titan.seconds - load.seconds_of_questions)


# How much of a quota may be used at once is not known.
@pytest.mark.parametrize("burst", [1, 10, 60])
@pytest.mark.parametrize("a_minute", [60, 600, 2_000])
def test_a_reindexing_under_no_quota_loses_a_document_or_a_question_or_gets_a_vector_twice(
    a_minute: int, burst: int, record_property: Any
) -> None:
    load = Load(200, a_minute, 1_000, burst=burst, reindexed=default_of("reindex_concurrency"))
    record_property("figures", told(load, a_minute, 1_000))
    nothing_is_spent_twice_or_lost(load)


# 1 place in an account of 10 functions, 5 in one of 1,000.
@pytest.mark.parametrize(("functions", "between", "minutes"), [(10, 30.0, 10), (1_000, 5.0, 3)])
def test_ten_files_of_another_collection_do_not_wait_for_the_thousand_before_them(
    functions: int, between: float, minutes: int, record_property: Any
) -> None:
    load = Load(1_000, 2_000, functions, between_questions=between, later=10, later_at=10.0)
    nothing_is_spent_twice_or_lost(load)
    own, others = (
        max(at for document, at in load.ready_at.items() if (document in load.later) is later) / 60
        for later in (False, True)
    )
    places_of_uploads = places(functions)["upload"]
    record_property(
        "figures", f"{places_of_uploads} places: 10 files ready {others:.1f} min after 1,000, which take {own:.0f}"
    )
    assert others < minutes < own / 4


def told(load: Load, a_minute: int, functions: int) -> str:
    passages, asked = sum(load.documents.values()), load.questions["asked"]
    return (
        f"Titan at {a_minute:,} calls a minute, {functions:,} functions, {len(load.documents):,} documents of "
        f"{passages:,} passages and {len(load.deletions)} deletions: {len(load.ready):,} ready, {len(load.removed)} "
        f"removed in {load.time.now / 60:.0f} min, the last deletion after {load.last_removal / 60:.0f}; "
        f"{load.functions.peak} functions at the peak; {asked:,} questions, "
        f"{load.questions['refused']} refused, {load.questions['by full text alone'] / asked:.0%} by full text alone; "
        f"{load.titan.refused:,} calls refused; {load.functions.throttled} throttled; "
        f"{load.dollars_of_polling:.2f} dollars for {load.polls:,} waits for a place"
    )


def nothing_is_spent_twice_or_lost(load: Load) -> None:
    """No vector is got twice, every document is ready with all of its own, and all questions are answered."""
    vectors = Counter({text: times for text, times in load.titan.given.items() if not text.startswith("question")})
    assert [text for text, times in vectors.items() if times > 1] == []
    # A passage's text stands below its title.
    of_document = Counter(text.split()[-2] for text in vectors)
    assert dict(of_document) == load.documents
    assert sorted(load.ready) == sorted(load.documents)
    assert (load.removed, load.lost) == (load.deletions, 0)
    assert {name: load.questions[name] for name in ("refused", "lost", "failed")} == dict.fromkeys(
        ("refused", "lost", "failed"), 0
    )
