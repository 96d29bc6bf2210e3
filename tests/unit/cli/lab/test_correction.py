"""The share of supported answers is corrected by a judge's known error, and its interval holds that error."""

import numpy as np
import pytest

from selfrag_cli.lab.metrics.agreement import Counts
from selfrag_cli.lab.metrics.correction import corrected
from selfrag_cli.lab.metrics.shares import share

RUNS = 400


@pytest.mark.parametrize(
    ("supported", "found", "refused", "answers", "rows"),
    [(0.95, 0.85, 0.6, 200, 100), (0.9, 0.8, 0.9, 60, 80), (0.7, 0.95, 0.7, 300, 200)],
)
def test_the_true_share_is_within_the_interval_in_95_of_100_runs_and_not_within_that_of_the_judge(
    supported: float, found: float, refused: float, answers: int, rows: int
) -> None:
    random = np.random.default_rng(7)
    within = within_uncorrected = 0
    for _ in range(RUNS):
        tried = Counts(rows, int(random.binomial(rows, found)), rows, int(random.binomial(rows, refused)))
        right = int(random.binomial(answers, supported))
        passed = int(random.binomial(right, found) + random.binomial(answers - right, 1 - refused))
        mended, told = corrected(passed, answers, tried), share(passed, answers)
        assert mended is not None
        assert told is not None
        within += mended.low <= supported <= mended.high
        within_uncorrected += told.low <= supported <= told.high
    assert within / RUNS >= 0.93
    assert within_uncorrected / RUNS < 0.75


def test_a_judge_without_error_leaves_the_share_and_one_that_guesses_tells_nothing() -> None:
    mended = corrected(80, 100, Counts(10_000, 10_000, 10_000, 10_000))
    assert mended is not None
    assert mended.value == 0.8
    assert mended.low < 0.8 < mended.high
    assert corrected(80, 100, Counts(100, 50, 100, 50)) is None
    assert corrected(0, 0, Counts(100, 90, 100, 90)) is None
    assert corrected(80, 100, Counts(100, 90, 0, 0)) is None
    assert corrected(100, 100, Counts(100, 20, 100, 99)) is None, "who finds one in five cannot have found all"


def test_a_judge_that_was_tried_on_few_rows_makes_a_wider_interval() -> None:
    few, many = (corrected(80, 100, Counts(rows, rows * 9 // 10, rows, rows * 8 // 10)) for rows in (10, 1000))
    assert few is not None
    assert many is not None
    assert few.value == many.value
    assert few.high - few.low > 1.2 * (many.high - many.low)
