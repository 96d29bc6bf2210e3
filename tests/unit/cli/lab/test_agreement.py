"""The agreement of a grader with people: intervals that are no points, and that know of groups."""

import pytest

from selfrag_cli.lab.metrics.agreement import Counts, clustered, weighted_kappa
from selfrag_cli.lab.metrics.shares import mcnemar, share


def test_a_share_of_none_and_of_all_has_an_interval() -> None:
    none, every = share(0, 15), share(15, 15)
    assert none is not None
    assert every is not None
    # Wilson 1927, by R's prop.test without correction.
    assert (none.low, none.high) == (0, pytest.approx(0.2039, abs=1e-4))
    assert (every.low, every.high) == (pytest.approx(0.7961, abs=1e-4), 1)
    assert share(0, 0) is None


def test_balanced_accuracy_is_the_mean_of_both_shares_and_precision_is_of_what_passes() -> None:
    figures = Counts(passing=100, passed=80, failing=50, failed=45).figures()
    values = {name: None if one is None else round(one.value, 4) for name, one in figures.items()}
    assert values == {"balanced": 0.85, "passing_found": 0.8, "failing_found": 0.9, "precision": round(80 / 85, 4)}
    assert Counts(0, 0, 5, 5).figures()["balanced"] is None


def test_kappa_weighs_a_far_disagreement_more_and_is_zero_where_chance_explains_all() -> None:
    labels = ("full", "partial", "none")
    same = {label: {label: 10} for label in labels}
    near = {**same, "full": {"full": 5, "partial": 5}}
    far = {**same, "full": {"full": 5, "none": 5}}
    kappas = [weighted_kappa(table, labels) for table in (same, near, far)]
    assert kappas[0] == 1
    # By statsmodels' cohens_kappa with wt="linear".
    assert kappas[1:] == [pytest.approx(0.8), pytest.approx(0.625)]
    assert weighted_kappa({label: dict.fromkeys(labels, 4) for label in labels}, labels) == pytest.approx(0)
    assert weighted_kappa({"full": {"full": 3}}, ("full",)) is None


def test_two_graders_differ_by_the_exact_test_of_the_rows_on_which_one_alone_is_right() -> None:
    assert [round(mcnemar(*pair), 3) for pair in ((4, 0), (5, 0), (7, 1), (9, 2), (0, 0))] == [
        0.125,
        0.062,
        0.07,
        0.065,
        1,
    ]


def test_rows_of_few_groups_make_a_wider_interval_than_as_many_rows_of_their_own() -> None:
    labels = [at % 2 == 0 for at in range(200)]
    # Of each group of twenty rows all are told right, or none.
    said = [label if at // 20 % 3 else not label for at, label in enumerate(labels)]
    by_group = clustered(labels, said, [str(at // 20) for at in range(200)])
    by_row = clustered(labels, said, [str(at) for at in range(200)])
    assert by_group is not None
    assert by_row is not None
    assert by_group.value == by_row.value
    assert by_group.high - by_group.low > 2 * (by_row.high - by_row.low)
