"""Whether a difference is real: paired intervals, the same each time; questions won, lost and most different."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag_cli.lab.metrics.comparison import FEWEST, differences, intervals
from selfrag_cli.lab.metrics.measures import NOT_FOR_IT, Measured, Share, overall
from selfrag_cli.lab.metrics.pairs import better, most_different
from selfrag_cli.lab.metrics.significance import holm, swapped
from tests.bench.chance import errors


def of(*values: float | None, name: str = "match") -> list[Measured]:
    """One measure of some questions; None where it is not for one."""
    return [{name: NOT_FOR_IT if value is None else Share(value)} for value in values]


def test_a_difference_on_every_question_is_real_and_one_by_the_toss_of_a_coin_is_not() -> None:
    base = [float(number % 2) for number in range(200)]
    better_by_some = differences(of(*base), of(*(value + 0.1 for value in base)))["match"]
    assert better_by_some.value == pytest.approx(0.1)
    assert (better_by_some.low, better_by_some.high) == (pytest.approx(0.1), pytest.approx(0.1))
    assert better_by_some.verdict == "real"
    tossed = np.random.default_rng(7).integers(0, 2, 200)
    by_chance = differences(of(*base), of(*map(float, tossed)))["match"]
    assert by_chance.low < 0 < by_chance.high
    assert by_chance.verdict == "may be chance"


def test_the_interval_is_that_of_the_means_of_questions_that_are_drawn_again_for_both() -> None:
    random = np.random.default_rng(3)
    one, other = random.random(60), random.random(60)
    found = differences(of(*one), of(*other))["match"]
    places = random.integers(0, 60, (20_000, 60))
    low, high = np.percentile((other - one)[places].mean(axis=1), (2.5, 97.5))
    assert found.value == pytest.approx(other.mean() - one.mean())
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


def test_the_interval_of_one_variant_is_that_of_its_own_mean_and_of_a_ratio_that_of_its_sums() -> None:
    random = np.random.default_rng(3)
    values = random.random(60)
    drawn = values[random.integers(0, 60, (20_000, 60))].mean(axis=1)
    assert intervals(of(*values))["match"] == pytest.approx(tuple(np.percentile(drawn, (2.5, 97.5))), abs=0.01)
    ratios = [{"precision": Share(1, 2), "f1": NOT_FOR_IT}] * 3 + [{"precision": NOT_FOR_IT, "f1": NOT_FOR_IT}] * 30
    assert intervals(ratios) == {"precision": (0.5, 0.5)}
    assert intervals([]) == {}


def test_a_share_of_none_or_of_all_questions_has_an_interval_that_is_no_point() -> None:
    assert intervals(of(*[1.0] * 15))["match"] == (pytest.approx(0.796, abs=1e-3), 1)
    assert intervals(of(*[0.0] * 15))["match"] == (0, pytest.approx(0.204, abs=1e-3))


def test_an_amount_that_is_one_for_every_question_has_no_interval_of_a_share() -> None:
    assert intervals([{"rounds": Share(1.0)}] * 15)["rounds"] == (1, 1)
    assert intervals([{"usd": Share(0.0)}] * 15)["usd"] == (0, 0)


@pytest.mark.parametrize(
    ("won", "lost", "p", "verdict"),
    [
        (4, 0, 0.125, "may be chance"),
        (5, 0, 0.0625, "may be chance"),
        (9, 2, 0.0654, "may be chance"),
        (6, 0, 0.0312, "real"),
    ],
)
def test_of_a_yes_or_no_a_difference_is_real_by_the_exact_test(won: int, lost: int, p: float, verdict: str) -> None:
    same = [1.0] * (200 - won - lost)
    found = differences(of(*same, *[0.0] * won, *[1.0] * lost), of(*same, *[1.0] * won, *[0.0] * lost))["match"]
    assert (found.won, found.lost, found.p, found.verdict) == (won, lost, pytest.approx(p, abs=1e-4), verdict)


@pytest.mark.parametrize(("questions", "draws"), [(20, 1000), (60, 400)])
def test_a_difference_is_called_real_by_chance_in_no_more_than_five_of_a_hundred_runs(
    questions: int, draws: int
) -> None:
    found = errors(questions, runs=200, draws=draws)
    assert found.primary <= 0.05
    assert found.any_by_holm <= 0.05 < found.any_by_own_p


def test_of_many_measures_each_has_to_be_less_likely_by_chance_and_the_primary_one_alone_has_not() -> None:
    # The example of Holm's procedure in R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm").
    told = holm({"e": 0.05, "a": 0.01, "c": 0.03, "b": 0.02, "d": 0.04})
    assert told == pytest.approx({"a": 0.05, "b": 0.08, "c": 0.09, "d": 0.09, "e": 0.09})
    one = [{name: Share(0.0) for name in ("match", "answered", "failed")} for _ in range(40)]
    other = [{"match": Share(at < 7), "answered": Share(at < 7), "failed": Share(0.0)} for at in range(40)]
    found = differences(one, other, "match")
    assert (found["match"].p, found["match"].corrected) == (found["answered"].p, None)
    assert found["answered"].corrected == found["answered"].p, "what no answer differs in is no test"
    without = differences(one, other)
    assert without["match"].corrected == pytest.approx(2 * found["match"].p)


def test_without_a_yes_or_no_p_is_that_of_all_ways_to_swap_the_answers_of_a_question() -> None:
    random = np.random.default_rng(9)
    one, other = random.random((2, 10)) + np.array([[0.0], [0.2]])
    gaps = other - one
    ways = np.array([[1 if at >> bit & 1 else -1 for bit in range(10)] for at in range(1024)]) @ gaps
    exact = float(np.mean(np.abs(ways) >= abs(gaps.sum()) - 1e-12))
    ofs = np.ones((10, 1))
    found = swapped((one[:, np.newaxis], ofs), (other[:, np.newaxis], ofs))
    assert found[0] == pytest.approx(exact, abs=0.015)


def test_answers_that_only_repeat_what_a_question_brings_make_nothing_surer_and_others_do() -> None:
    random = np.random.default_rng(13)
    one, other = (random.integers(0, 2, 40).astype(float) for _ in range(2))
    origins = [f"{at}" for at in range(40)] * 3
    thrice = differences(of(*one, *one, *one), of(*other, *other, *other), "match", origins)["match"]
    once = differences(of(*one), of(*other), "match")["match"]
    assert (thrice.p, thrice.won, thrice.lost, thrice.questions) == (once.p, once.won, once.lost, 40)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    same = intervals(of(*one, *one, *one), origins)["match"]
    assert same == pytest.approx(intervals(of(*one))["match"])
    varied = of(*random.integers(0, 2, 120).astype(float))
    low, high = intervals(varied, origins)["match"]
    independent = intervals(varied)["match"]
    assert independent[1] - independent[0] <= high - low < 0.75 * (same[1] - same[0])
    assert intervals(of(*[1.0] * 45), [f"{at % 15}" for at in range(45)])["match"][0] == pytest.approx(0.796, abs=1e-3)


def test_a_precision_of_other_questions_than_the_other_variants_has_the_p_of_swaps() -> None:
    right, wrong, none = ({"abstention_precision": share} for share in (Share(1, 1), Share(0, 1), NOT_FOR_IT))
    found = differences([right] * 10 + [none] * 30, [right] * 10 + [wrong] * 20 + [none] * 10)["abstention_precision"]
    assert (found.won, found.lost, found.value) == (0, 0, pytest.approx(-2 / 3))
    assert found.p < 0.01


def test_questions_are_drawn_for_both_variants_alike_so_what_they_share_does_not_widen_the_interval() -> None:
    hard = [float(number % 10) for number in range(100)]
    slightly_more = [value + (0.01 if number % 2 else 0.03) for number, value in enumerate(hard)]
    found = differences(of(*hard), of(*slightly_more))["match"]
    assert found.high - found.low < 0.01


def test_the_same_results_have_the_same_intervals_each_time() -> None:
    values = np.random.default_rng(5).random((2, 40))
    one, other = of(*values[0]), of(*values[1])
    assert differences(one, other) == differences(one, other)
    assert differences(one, other, seed=1) != differences(one, other, seed=2)


def test_a_ratio_is_of_the_sums_as_in_the_table_and_a_measure_for_no_question_is_left_out() -> None:
    one = [{"precision": Share(1, 1), "f1": NOT_FOR_IT}] * 10 + [{"precision": NOT_FOR_IT, "f1": NOT_FOR_IT}] * 30
    other = [{"precision": Share(0, 1), "f1": NOT_FOR_IT}] * 20 + [{"precision": Share(1, 1), "f1": NOT_FOR_IT}] * 20
    found = differences(one, other)
    assert list(found) == ["precision"]
    assert found["precision"].value == pytest.approx(-0.5)
    assert np.isfinite([found["precision"].low, found["precision"].high]).all()


def test_few_questions_show_nothing() -> None:
    few = differences(of(*[0.0] * (FEWEST - 1)), of(*[1.0] * (FEWEST - 1)))["match"]
    assert few.verdict == "too few questions"
    # However many there are that it is not for.
    none = [None] * 100
    assert differences(of(0.0, *none), of(1.0, *none))["match"].verdict == "too few questions"
    assert differences([], []) == {}


VALUES = st.lists(
    st.tuples(st.sampled_from([None, 0.0, 0.5, 1.0]), st.floats(0, 1) | st.none()), min_size=1, max_size=30
)


@given(VALUES)
def test_the_difference_is_that_of_the_table_whatever_is_measured(
    values: list[tuple[float | None, float | None]],
) -> None:
    one, other = of(*(first for first, _ in values)), of(*(second for _, second in values))
    found = differences(one, other, draws=50)
    before, after = overall(one)["match"], overall(other)["match"]
    if before is None or after is None:
        assert found == {}
    else:
        assert found["match"].value == pytest.approx(after - before)
        assert found["match"].questions == sum(pair != (None, None) for pair in values)


def test_a_question_is_won_by_the_answer_that_holds_the_right_one_then_by_the_nearer_one() -> None:
    holds = {"match": Share(1), "f1": Share(0.2), "citation_recall": Share(0), "citation_precision": NOT_FOR_IT}
    nearer = {"match": Share(0), "f1": Share(0.9), "citation_recall": Share(1), "citation_precision": NOT_FOR_IT}
    cited = {**holds, "citation_recall": Share(1)}
    assert (better(nearer, holds), better(holds, nearer)) == (1, -1)
    assert better(holds, cited) == 1
    assert better(holds, holds) == 0


def test_the_ten_questions_that_differ_most_come_first_and_those_that_do_not_differ_never() -> None:
    unknown = {"citation_recall": NOT_FOR_IT, "citation_precision": NOT_FOR_IT}
    base = [{"match": Share(0), "f1": Share(0), **unknown}] * 14
    other = [{"match": Share(number == 5), "f1": Share(number / 20), **unknown} for number in range(14)]
    assert most_different(base, other) == [5, 13, 12, 11, 10, 9, 8, 7, 6, 4]
    assert most_different(other, other) == []
