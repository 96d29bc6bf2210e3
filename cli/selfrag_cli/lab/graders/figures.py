"""Figures of a judge against the labels of people: errors, accuracy and calibration."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from pydantic import BaseModel

from selfrag_cli.lab.comparison import Interval, wilson

_BINS = 10


@dataclass(frozen=True)
class Outcome:
    """A graded row: whether people and the judge pass it, and the judge's probability that it should pass, if any.

    `confidence` is the probability that the thresholds of a cascade are for.
    """

    should_pass: bool
    passed: bool
    probability: float | None = None
    confidence: float | None = None


class Rate(NamedTuple):
    """A share of `n` graded rows, and its interval."""

    share: float
    interval: Interval
    n: int


class Bin(NamedTuple):
    """The rows whose probability is about the same: its mean, and the share that should pass."""

    rows: int
    probability: float
    share: float


class Calibration(BaseModel):
    """The expected calibration error, and the reliability diagram: ten bins of probabilities, without empty ones."""

    ece: float
    bins: list[Bin]


class JudgeFigures(BaseModel):
    """The figures of graded rows; a rate of no row is null.

    `passing_right` is the share that passes of the rows that should, and `false_strips` the rest of them;
    `failing_right` is the share that fails of the rows that should, and `false_passes` the rest of them. `precision` is
    the share of right ones among the `passed` rows, and `balanced` the mean of `passing_right` and `failing_right`.
    """

    graded: int
    passed: int
    passing_right: Rate | None
    failing_right: Rate | None
    false_passes: Rate | None
    false_strips: Rate | None
    precision: Rate | None
    balanced: float | None
    balanced_interval: Interval | None
    calibration: Calibration | None


def figures_of(outcomes: Sequence[Outcome]) -> JudgeFigures:
    """Return the figures of graded rows."""
    passing = [outcome.passed for outcome in outcomes if outcome.should_pass]
    failing = [outcome.passed for outcome in outcomes if not outcome.should_pass]
    passing_right, failing_right = _rate(sum(passing), len(passing)), _rate(failing.count(False), len(failing))
    passed = sum(passing) + sum(failing)
    both = (passing_right, failing_right) if passing_right and failing_right else None
    return JudgeFigures(
        graded=len(outcomes),
        passed=passed,
        passing_right=passing_right,
        failing_right=failing_right,
        false_passes=_rate(sum(failing), len(failing)),
        false_strips=_rate(passing.count(False), len(passing)),
        precision=_rate(sum(passing), passed),
        balanced=(both[0].share + both[1].share) / 2 if both else None,
        balanced_interval=_interval_of_mean(*both) if both else None,
        calibration=_calibration(outcomes),
    )


def _rate(count: int, of: int) -> Rate | None:
    return Rate(count / of, wilson(count, of), of) if of else None


def _interval_of_mean(first: Rate, second: Rate) -> Interval:
    """Return the interval of the mean of two independent shares from their own (Zou and Donner 2008)."""
    mean = (first.share + second.share) / 2
    below = hypot(first.share - first.interval.low, second.share - second.interval.low)
    above = hypot(first.interval.high - first.share, second.interval.high - second.share)
    return Interval(low=mean - below / 2, high=mean + above / 2)


def _calibration(outcomes: Sequence[Outcome]) -> Calibration | None:
    """Return how far probabilities are from shares, over bins of equal width; None without a probability."""
    rows: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for outcome in outcomes:
        if outcome.probability is not None:
            rows[min(int(outcome.probability * _BINS), _BINS - 1)].append((outcome.probability, outcome.should_pass))
    bins = [
        Bin(len(pairs), sum(p for p, _ in pairs) / len(pairs), sum(right for _, right in pairs) / len(pairs))
        for pairs in rows
        if pairs
    ]
    total = sum(each.rows for each in bins)
    error = sum(each.rows * abs(each.probability - each.share) for each in bins)
    return Calibration(ece=error / total, bins=bins) if total else None
