"""Agreement of a grader with people: shares with their intervals, clustered and not, and weighted kappa."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from selfrag_cli.lab.metrics.shares import Interval, share
from selfrag_cli.lab.metrics.significance import Floats, Weights, percentiles


@dataclass(frozen=True)
class Counts:
    """Rows that pass by people's label, and those of them that the grader passed; the same of those that fail."""

    passing: int
    passed: int
    failing: int
    failed: int

    @classmethod
    def of(cls, labels: Sequence[bool], said: Sequence[bool]) -> "Counts":
        """Count rows by whether they pass by people's label and by the grader."""
        pairs = list(zip(labels, said, strict=True))
        passing, failing = ([one for label, one in pairs if label is kind] for kind in (True, False))
        return cls(len(passing), sum(passing), len(failing), len(failing) - sum(failing))

    def figures(self) -> dict[str, Interval | None]:
        """Return the shares that were told right, their mean, and the precision of what the grader passed."""
        found, refused = share(self.passed, self.passing), share(self.failed, self.failing)
        wrong = self.failing - self.failed
        return {
            "balanced": _mean(found, refused),
            "passing_found": found,
            "failing_found": refused,
            "precision": share(self.passed, self.passed + wrong),
        }


def _mean(one: Interval | None, other: Interval | None) -> Interval | None:
    """Return the mean of two independent shares; its interval is of both intervals by squares (Newcombe 1998)."""
    if one is None or other is None:
        return None
    low = sqrt((one.value - one.low) ** 2 + (other.value - other.low) ** 2) / 2
    high = sqrt((one.high - one.value) ** 2 + (other.high - other.value) ** 2) / 2
    value = (one.value + other.value) / 2
    return Interval(value, value - low, value + high)


def clustered(labels: Sequence[bool], said: Sequence[bool], groups: Sequence[str]) -> Interval | None:
    """Return balanced accuracy with the interval of a bootstrap over groups, whose rows are not independent."""
    names = sorted(set(groups))
    places = {name: at for at, name in enumerate(names)}
    sums = np.zeros((len(names), 4))
    for label, one, group in zip(labels, said, groups, strict=True):
        sums[places[group]] += (label, label and one, not label, not label and not one)

    def balanced(weights: Weights) -> Floats:
        drawn = weights @ sums
        with np.errstate(invalid="ignore"):
            found: Floats = (drawn[:, 1] / drawn[:, 0] + drawn[:, 3] / drawn[:, 2]) / 2
        return found[:, np.newaxis]

    value = float(balanced(np.ones((1, len(names))))[0, 0])
    if np.isnan(value):
        return None
    low, high = percentiles(balanced, len(names))
    return Interval(value, float(low[0]), float(high[0]))


def weighted_kappa(table: Mapping[str, Mapping[str, int]], labels: Sequence[str]) -> float | None:
    """Return Cohen's kappa of labels in their order with linear weights (Cohen 1968); None where nothing can differ."""
    seen = np.array([[table.get(row, {}).get(column, 0) for column in labels] for row in labels], dtype=np.float64)
    places = np.arange(len(labels))
    weights = np.abs(places[:, np.newaxis] - places)
    if not seen.sum():
        return None
    by_chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    expected = float((weights * by_chance).sum())
    return 1 - float((weights * seen).sum()) / expected if expected else None
