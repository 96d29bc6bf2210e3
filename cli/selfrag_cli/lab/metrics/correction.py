"""The share of answers that are supported, corrected by how often the judge is known to err."""

from math import sqrt

from selfrag_cli.lab.metrics.agreement import Counts
from selfrag_cli.lab.metrics.shares import Interval, Z


def corrected(count: float, of: int, judge: Counts) -> Interval | None:
    """Return the share of which the judge found `count` of `of`, with an interval that holds the judge's own error.

    The estimate is Rogan and Gladen's (1978), the interval Lang and Reiczigel's (2014): a judge who was tried on few
    rows makes it wide. None of nothing, for a judge who tells no better than chance, and where no share explains what
    was found: the judge errs otherwise here than it did there.
    """
    if not of or not judge.passing or not judge.failing:
        return None
    found, refused = judge.passed / judge.passing, judge.failed / judge.failing
    if found + refused <= 1:
        return None
    value = (count / of + refused - 1) / (found + refused - 1)
    low, high = _ends(count, of, judge)
    if low > 1 or high < 0:
        return None
    return Interval(min(1.0, max(0.0, value)), max(0.0, low), min(1.0, high))


def _ends(count: float, of: int, judge: Counts) -> tuple[float, float]:
    """Return the ends of the interval: each share is drawn a little to the middle, so that none is sure at 0 and 1."""
    n, n_passing, n_failing = of + Z**2, judge.passing + 2, judge.failing + 2
    p, found, refused = (count + Z**2 / 2) / n, (judge.passed + 1) / n_passing, (judge.failed + 1) / n_failing
    better = found + refused - 1
    if better <= 0:
        return 0.0, 1.0
    share = (p + refused - 1) / better
    of_passing, of_failing = found * (1 - found) / n_passing, refused * (1 - refused) / n_failing
    middle = share + 2 * Z**2 * (share * of_passing - (1 - share) * of_failing)
    half = Z * sqrt(p * (1 - p) / n + share**2 * of_passing + (1 - share) ** 2 * of_failing) / better
    return middle - half, middle + half
