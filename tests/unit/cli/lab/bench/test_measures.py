import pytest

from cli.lab.bench.measures import Answered, figures

# The right text is first, second, fifth, eleventh (too late to count) and nowhere.
RANKED = [
    Answered(["right", "a", "b"], "right", 1.0),
    Answered(["a", "right", "b"], "right", 2.0),
    Answered(["a", "b", "c", "d", "right"], "right", 3.0),
    Answered([*"abcdefghij", "right"], "right", 4.0),
    Answered([], "right", 100.0),
]


def test_recall_counts_what_is_among_the_first():
    measured = figures(RANKED)
    assert (measured.recall_at_1, measured.recall_at_4) == (1 / 5, 2 / 5)


def test_mrr_is_the_mean_of_the_reciprocal_ranks_within_the_top_ten():
    assert figures(RANKED).mrr == pytest.approx((1 + 1 / 2 + 1 / 5 + 0 + 0) / 5)


def test_the_slow_question_shows_in_p95_and_not_in_the_median():
    measured = figures(RANKED)
    assert (measured.median_ms, measured.p95_ms) == (3.0, 100.0)


def test_p95_is_the_time_that_19_of_20_questions_keep():
    times = [Answered([], "right", float(n)) for n in range(20, 0, -1)]
    assert figures(times).p95_ms == 19.0


def test_the_same_text_found_twice_counts_where_it_stands_first():
    assert figures([Answered(["a", "right", "right"], "right", 1.0)]).mrr == 1 / 2
