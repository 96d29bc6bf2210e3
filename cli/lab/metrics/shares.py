"""Shares of yes and no: Wilson's interval, and the exact test of McNemar."""

from dataclasses import dataclass

from scipy.stats import binomtest


@dataclass(frozen=True)
class Interval:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float


def share(count: int, of: int) -> Interval | None:
    """Return a share with Wilson's interval, which is no point at 0 and at 1; None of nothing."""
    if not of:
        return None
    ends = binomtest(count, of).proportion_ci(method="wilson")
    return Interval(count / of, float(ends.low), float(ends.high))


def mcnemar(one_alone: int, other_alone: int) -> float:
    """Return the exact two-sided p of so many cases that only the one wins, and only the other."""
    both = one_alone + other_alone
    return float(binomtest(one_alone, both).pvalue) if both else 1.0
