"""The intervals of a variant's measures, and the difference between two variants over the same questions."""

from collections.abc import Callable, Sequence
from math import comb, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from selfrag_cli.lab.measures import AMOUNTS, Measured

Floats = NDArray[np.float64]
# Draws by questions: how often a draw holds each.
Weights = NDArray[np.int64]

# With fewer questions nothing is said of a difference.
FEWEST = 20
ALPHA = 0.05
DRAWS, AT_A_TIME, SEED = 10_000, 500, 12
Z = NormalDist().inv_cdf(0.975)

Verdict = Literal["real", "may be chance", "too few questions"]


class Interval(BaseModel):
    """The ends of a 95% interval."""

    low: float
    high: float


class Difference(Interval):
    """The other variant's lead in a measure, with its interval; it has more on `won` questions and less on `lost`."""

    value: float
    questions: int
    won: int
    lost: int

    @property
    def p(self) -> float:
        """Return the exact two-sided p of McNemar's test, for a measure that is yes or no for each question."""
        return mcnemar(self.won, self.lost)

    @property
    def verdict(self) -> Verdict:
        """Return whether the choice of questions explains the difference."""
        if self.questions < FEWEST:
            return "too few questions"
        return "real" if self.p < ALPHA else "may be chance"


def mcnemar(won: int, lost: int) -> float:
    """Return the exact two-sided p of so many questions won and lost, which chance would divide evenly."""
    differing = won + lost
    tail = sum(comb(differing, count) for count in range(min(won, lost) + 1))
    return min(1.0, tail / 2.0 ** (differing - 1))


def wilson(count: float, of: float) -> Interval:
    """Return Wilson's interval of a share, which is no point at 0 and at 1."""
    value, square = count / of, Z**2 / of
    middle, half = value + square / 2, sqrt(square * value * (1 - value) + square**2 / 4)
    return Interval(low=max(0.0, (middle - half) / (1 + square)), high=min(1.0, (middle + half) / (1 + square)))


def intervals(measures: Sequence[Measured]) -> dict[str, Interval]:
    """Return by measure Wilson's interval of a share of questions, else the bootstrap's.

    Measures for no question are left out. Whether two variants differ is not to be read from two of these intervals:
    `differences` says it.
    """
    names = [name for name in (measures[0] if measures else ()) if _applies(measures, name)]
    counts = _table(measures, names)
    low, high = _percentiles(lambda weights: _ratios(weights, counts), len(measures)) if names else ((), ())
    ends = {name: Interval(low=low[at], high=high[at]) for at, name in enumerate(names)}
    for name in names:
        shares = [of_question[name] for of_question in measures if of_question[name].of]
        if name not in AMOUNTS and all(share.of == 1 and share.count in (0, 1) for share in shares):
            ends[name] = wilson(sum(share.count for share in shares), len(shares))
    return ends


def differences(base: Sequence[Measured], other: Sequence[Measured]) -> dict[str, Difference]:
    """Return by measure how much more `other` has than `base`, over the same questions in the same order.

    The interval is the percentile bootstrap's: questions are drawn with replacement, the same ones for both (Efron and
    Tibshirani 1993, chapter 13). A measure that is for none of the questions is left out.
    """
    names = [name for name in (base[0] if base else ()) if _applies(base, name) and _applies(other, name)]
    if not names:
        return {}
    before, after = _table(base, names), _table(other, names)

    def gap(weights: Weights) -> Floats:
        ratios: Floats = _ratios(weights, after) - _ratios(weights, before)
        return ratios

    whole = gap(np.ones((1, len(base)), dtype=np.int64))[0]
    low, high = _percentiles(gap, len(base))
    return {
        name: Difference(value=whole[at], low=low[at], high=high[at], **_counted(base, other, name))
        for at, name in enumerate(names)
    }


def _counted(base: Sequence[Measured], other: Sequence[Measured], name: str) -> dict[str, int]:
    pairs = [(before[name], after[name]) for before, after in zip(base, other, strict=True)]
    gaps = [
        after.value - before.value for before, after in pairs if before.value is not None and after.value is not None
    ]
    return {
        "questions": sum(bool(before.of or after.of) for before, after in pairs),
        "won": sum(gap > 0 for gap in gaps),
        "lost": sum(gap < 0 for gap in gaps),
    }


def _applies(measures: Sequence[Measured], name: str) -> bool:
    return any(of_question[name].of for of_question in measures)


def _table(measures: Sequence[Measured], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Return counts, and what they are out of: questions by measures."""
    rows = [[of_question[name] for name in names] for of_question in measures]
    return (
        np.array([[share.count for share in row] for row in rows], dtype=np.float64),
        np.array([[share.of for share in row] for row in rows], dtype=np.float64),
    )


def _ratios(weights: Weights, counts: tuple[Floats, Floats]) -> Floats:
    """Return draws by measures, nan where a draw holds no question that a measure is for."""
    of = weights @ counts[1]
    ratios: Floats = np.divide(weights @ counts[0], of, out=np.full(of.shape, np.nan), where=of != 0)
    return ratios


def _percentiles(statistic: Callable[[Weights], Floats], questions: int) -> Floats:
    """Return the ends by measure of what a statistic is of drawn questions; the same each time."""
    random = np.random.default_rng(SEED)
    equal = np.full(questions, 1 / questions)
    drawn = [statistic(random.multinomial(questions, equal, size=AT_A_TIME)) for _ in range(DRAWS // AT_A_TIME)]
    # A draw may hold no question that a measure is for.
    ends: Floats = np.nanpercentile(np.concatenate(drawn), (2.5, 97.5), axis=0)
    return ends
