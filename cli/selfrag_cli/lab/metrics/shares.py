"""Shares of yes and no: Wilson's interval, and the exact test of McNemar."""

from dataclasses import dataclass
from math import sqrt

from scipy.stats import binomtest, norm

Z = float(norm.ppf(0.975))


@dataclass(frozen=True)
class Interval:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float


def share(count: int, of: int) -> Interval | None:
    """Return a share with Wilson's interval, which is no point at 0 and at 1; None of nothing."""
    return wilson(count / of, of) if of else None


def wilson(value: float, of: float) -> Interval:
    """Return a share with Wilson's interval; `of` is no whole number where some of them tell the same."""
    middle, half = value + Z**2 / (2 * of), Z * sqrt(value * (1 - value) / of + Z**2 / (4 * of**2))
    whole = 1 + Z**2 / of
    return Interval(value, max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole))


def mcnemar(one_alone: int, other_alone: int) -> float:
    """Return the exact two-sided p of so many cases that only the one wins, and only the other."""
    both = one_alone + other_alone
    return float(binomtest(one_alone, both).pvalue) if both else 1.0
