"""Chance: the bootstrap's intervals, the p of a difference by swapped answers, and of one among many measures."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Draws by questions: how often a draw holds each.
Weights = NDArray[np.float64] | NDArray[np.int64]
# Counts of measures by questions, and what they are out of.
Counted = tuple[Floats, Floats]

DRAWS, AT_A_TIME, SEED = 10_000, 500, 12
PERCENT = (2.5, 97.5)
# Below a sum's rounding error nothing is nearer.
_EPSILON = 1e-12


def holm(found: Mapping[str, float]) -> dict[str, float]:
    """Return each p as it stands among all of them (Holm 1979)."""
    corrected, least = dict[str, float](), 0.0
    for rank, name in enumerate(sorted(found, key=lambda name: found[name])):
        corrected[name] = least = max(least, min(1.0, (len(found) - rank) * found[name]))
    return corrected


def swapped(one: Counted, other: Counted, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Return by measure the p of a paired permutation test: without a difference a question's answers may be swapped.

    The difference is that of two ratios of sums. The same seed gives the same p.
    """
    random = np.random.default_rng(seed)
    sums = [(before.sum(axis=0), after.sum(axis=0), after - before) for before, after in zip(one, other, strict=True)]

    def gap(swaps: Weights) -> Floats:
        (count, count_of_other, counts), (of, of_other, ofs) = sums
        moved, moved_of = swaps @ counts, swaps @ ofs
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.abs((count_of_other - moved) / (of_other - moved_of) - (count + moved) / (of + moved_of))
        return found

    questions = len(one[0])
    seen = gap(np.zeros((1, questions))) - _EPSILON
    nearer = [
        (gap(random.integers(0, 2, (min(AT_A_TIME, draws - done), questions))) < seen).sum(axis=0)
        for done in range(0, draws, AT_A_TIME)
    ]
    found: Floats = (draws + 1 - np.sum(nearer, axis=0)) / (draws + 1)
    return found


def percentiles(figures: Callable[[Weights], Floats], questions: int, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Return the lower and the upper ends of what `figures` gives for draws of so many questions, by measure."""
    random = np.random.default_rng(seed)
    equal = np.full(questions, 1 / questions)
    drawn = [
        figures(random.multinomial(questions, equal, size=min(AT_A_TIME, draws - done)))
        for done in range(0, draws, AT_A_TIME)
    ]
    # A draw may hold no question that a measure is for.
    ends: Floats = np.nanpercentile(np.concatenate(drawn), PERCENT, axis=0)
    return ends
