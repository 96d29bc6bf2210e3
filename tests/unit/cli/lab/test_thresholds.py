"""Thresholds that are adopted keep the stated limits of errors, also on rows that they were not chosen on."""

import hashlib
from dataclasses import replace

import pytest

from selfrag_cli.lab.thresholds import ErrorCount, ErrorLimits, Outcome, choose_judge, choose_thresholds, report_half
from tests.support.simulated_judges import statements

LIMITS = ErrorLimits(false_passes=0.02, false_strips=0.02)


def rows(should_pass: bool, probability: float, count: int) -> list[tuple[str, Outcome]]:
    """Return outcomes of one kind with this probability of the label that passes."""
    outcome = Outcome(should_pass, probability > 0.5, probability)
    return [(f"{should_pass} {probability} {number}", outcome) for number in range(count)]


def outcomes(named: list[tuple[str, Outcome]]) -> list[Outcome]:
    return [outcome for _, outcome in named]


@pytest.mark.parametrize("accuracy", [0.7, 0.8, 0.9, 0.95])
def test_held_out_half_rarely_exceeds_the_limit_of_false_passes(accuracy: float) -> None:
    exceeded = 0
    for seed in range(100):
        judged = [(f"{seed} {row.number}", row.outcome) for row in statements(accuracy, 1000, seed)]
        adoption = choose_judge("grade_support", judged, LIMITS)
        assert adoption.held_out
        false_passes = adoption.held_out.false_passes
        exceeded += false_passes.count > LIMITS.false_passes * false_passes.of
    assert exceeded <= 10


def test_faultless_decision_model_decides_all_confident_cases() -> None:
    judged = rows(True, 0.97, 600) + rows(False, 0.02, 600) + rows(True, 0.6, 20) + rows(False, 0.55, 20)
    adoption = choose_judge("grade_support", judged, LIMITS)
    assert adoption.grader == "cascade"
    assert adoption.thresholds
    assert 0.55 < adoption.thresholds.upper <= 0.97
    assert adoption.thresholds.lower >= 0.02
    assert adoption.held_out
    assert adoption.held_out.decided > 500


def test_confident_errors_leave_step_to_claude() -> None:
    judged = rows(True, 0.97, 600) + rows(False, 0.02, 600) + rows(False, 0.97, 60)
    adoption = choose_judge("grade_support", judged, LIMITS)
    assert adoption.thresholds is None or adoption.thresholds.upper > 0.97
    wrong = choose_judge("grade_support", rows(True, 1.0, 600) + rows(False, 1.0, 60) + rows(False, 0.0, 540), LIMITS)
    assert (wrong.grader, wrong.thresholds) == ("claude", None)
    assert wrong.reason.startswith("no threshold holds on the first half: it has 2")


def test_thresholds_that_fail_on_the_other_half_are_not_adopted() -> None:
    spoiled = [
        (name, replace(outcome, passed=True, confidence=0.97) if in_second_half(name) else outcome)
        for name, outcome in rows(False, 0.02, 600)
    ]
    adoption = choose_judge("grade_support", rows(True, 0.97, 600) + spoiled, LIMITS)
    assert adoption.thresholds
    assert (adoption.grader, adoption.reason) == ("claude", "the thresholds do not hold on the other half")


def in_second_half(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def test_confident_errors_count_as_false_strips_and_false_passes() -> None:
    half = report_half(outcomes(rows(False, 0.95, 3) + rows(True, 0.05, 2) + rows(True, 0.5, 4)), 0.9, 0.1)
    assert (half.decided, half.false_passes.count, half.false_passes.of) == (5, 3, 3)
    assert (half.false_strips.count, half.false_strips.of) == (2, 6)


def test_retrieve_has_no_lower_threshold() -> None:
    noes = [Outcome(False, False, 0.97) for _ in range(600)]
    thresholds = choose_thresholds([*outcomes(rows(True, 0.97, 600)), *noes], LIMITS, if_low=False)
    assert thresholds
    assert (thresholds.upper, thresholds.lower) == (0.5, 0.0)


@pytest.mark.parametrize(("count", "of", "bound"), [(0, 149, 0.0199), (0, 10, 0.2589), (3, 100, 0.0757), (5, 5, 1.0)])
def test_the_bound_is_the_one_sided_one_of_clopper_and_pearson(count: int, of: int, bound: float) -> None:
    errors = ErrorCount(count=count, of=of)
    assert errors.bound == pytest.approx(bound, abs=1e-4)
    assert errors.is_below(errors.bound) or bound == 1
    assert not errors.is_below(errors.bound - 0.001)
