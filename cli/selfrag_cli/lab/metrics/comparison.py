"""The difference between two variants: intervals, tests of chance, questions won and lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from selfrag_cli.lab.metrics.measures import AMOUNTS, NOT_FOR_IT, Measured
from selfrag_cli.lab.metrics.shares import mcnemar, wilson
from selfrag_cli.lab.metrics.significance import DRAWS, SEED, Floats, Weights, holm, percentiles, swapped

# With fewer questions that a measure is for, the bootstrap's intervals are too narrow to say anything.
FEWEST = 20
ALPHA = 0.05

Verdict = Literal["real", "may be chance", "too few questions"]


@dataclass(frozen=True)
class Difference:
    """The other variant's lead in a measure, with the 95% interval, over so many questions.

    The other one has more on `won` of them, and less on `lost`. `p` is McNemar's, exact, of a measure that is yes or no
    for each question, else that of swapped answers; `corrected` is Holm's of it, None of the primary measure.
    """

    value: float
    low: float
    high: float
    questions: int
    won: int
    lost: int
    p: float
    corrected: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Return whether the choice of questions explains it: not where p, corrected if it is, is below 0.05."""
        if self.questions < FEWEST:
            return "too few questions"
        return "real" if (self.p if self.corrected is None else self.corrected) < ALPHA else "may be chance"


def by_question(measures: Sequence[Measured], origins: Sequence[str]) -> list[Measured]:
    """Return the measures of all answers to each question together: answers to one are not independent."""
    found: dict[str, Measured] = {}
    for one, origin in zip(measures, origins, strict=True):
        before = found.get(origin, {})
        found[origin] = {name: share + before.get(name, NOT_FOR_IT) for name, share in one.items()}
    return list(found.values())


def differences(
    one: Sequence[Measured],
    other: Sequence[Measured],
    primary: str = "",
    origins: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = SEED,
) -> dict[str, Difference]:
    """Return by measure how much more `other` has than `one`, over the same questions in the same order.

    `origins` name the question of each answer, where there are several to one.

    The interval is the percentile bootstrap's: questions are drawn with replacement, the same ones for both (Efron and
    Tibshirani 1993, chapter 13). The p of all measures but the primary one is corrected for their number (Holm 1979). A
    measure that is for none of the questions is left out. The same seed gives the same figures.
    """
    names = [name for name in (one[0] if one else ()) if _known(one, name) and _known(other, name)]
    if not names:
        return {}
    exact = [name for name in names if _are_yes_or_no(one, other, name)]
    if origins:
        one, other = by_question(one, origins), by_question(other, origins)
    both = [_table(measures, names) for measures in (one, other)]
    whole = _difference(np.ones((1, len(one))), both)[0]
    low, high = percentiles(lambda weights: _difference(weights, both), len(one), draws, seed)
    by_swaps = swapped(both[0], both[1], draws, seed)
    found = {
        name: Difference(
            float(whole[at]),
            float(low[at]),
            float(high[at]),
            _questions(one, other, name),
            **_counted(one, other, name, None if name in exact else float(by_swaps[at])),
        )
        for at, name in enumerate(names)
    }
    return found | _corrected({name: gap for name, gap in found.items() if name != primary})


def _corrected(found: Mapping[str, Difference]) -> dict[str, Difference]:
    """Return the differences with Holm's p, of measures with enough questions of which the answers differ in any."""
    tested = {name: gap.p for name, gap in found.items() if gap.questions >= FEWEST and (gap.low or gap.high)}
    return {name: replace(found[name], corrected=p) for name, p in holm(tested).items()}


def intervals(
    measures: Sequence[Measured], origins: Sequence[str] = (), draws: int = DRAWS, seed: int = SEED
) -> dict[str, tuple[float, float]]:
    """Return by measure the 95% interval of one variant, by the same bootstrap, or Wilson's of a share of questions.

    Measures for no question are left out. `origins` are those of `differences`.

    Whether two variants differ is not to be read from two of these: that is what `differences` says.
    """
    names = [name for name in (measures[0] if measures else ()) if _known(measures, name)]
    if not names:
        return {}
    exact = {name: share_interval(measures, name, origins) for name in names if _is_yes_or_no(measures, name)}
    counts = _table(by_question(measures, origins) if origins else measures, names)
    low, high = percentiles(lambda weights: _ratios(weights, counts), len(counts[0]), draws, seed)
    found = {name: (float(low[at]), float(high[at])) for at, name in enumerate(names)}
    return found | {name: ends for name, ends in exact.items() if ends}


def share_interval(measures: Sequence[Measured], name: str, origins: Sequence[str] = ()) -> tuple[float, float] | None:
    """Return Wilson's ends of a yes or no, for as many answers as the spread between questions says (Kish 1965).

    None where it is for no question.
    """
    shares = [one[name] for one in (by_question(measures, origins) if origins else measures) if one[name].of]
    answers, questions = sum(one.of for one in shares), len(shares)
    if not shares:
        return None
    value = sum(one.count for one in shares) / answers
    between = sum((one.count - value * one.of) ** 2 for one in shares)
    alike = value * (1 - value) * answers**2 / between * (1 - 1 / questions) if between else 0.0
    found = wilson(value, min(answers, max(questions, alike)))
    return found.low, found.high


def _is_yes_or_no(measures: Sequence[Measured], name: str) -> bool:
    return name not in AMOUNTS and all(
        one[name].of in (0, 1) and one[name].count in (0, one[name].of) for one in measures
    )


def _are_yes_or_no(one: Sequence[Measured], other: Sequence[Measured], name: str) -> bool:
    """Return whether each question is a yes or a no by both; a precision may be of other questions."""
    of_same = all(a[name].of == b[name].of for a, b in zip(one, other, strict=True))
    return of_same and _is_yes_or_no(one, name) and _is_yes_or_no(other, name)


def _counted(one: Sequence[Measured], other: Sequence[Measured], name: str, p: float | None) -> dict[str, Any]:
    """Return on how many questions the other has more and less, and p, which is exact where there is none yet."""
    pairs = [(a[name], b[name]) for a, b in zip(one, other, strict=True) if a[name].of and b[name].of]
    won, lost = (sum(a.count * b.of * sign < b.count * a.of * sign for a, b in pairs) for sign in (1, -1))
    return {"won": won, "lost": lost, "p": mcnemar(won, lost) if p is None else p}


def _questions(one: Sequence[Measured], other: Sequence[Measured], name: str) -> int:
    return sum(bool(first[name].of or second[name].of) for first, second in zip(one, other, strict=True))


def _known(measures: Sequence[Measured], name: str) -> bool:
    return any(one[name].of for one in measures)


def _table(measures: Sequence[Measured], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Counts, and what they are out of: questions by measures."""
    return (
        np.array([[one[name].count for name in names] for one in measures], dtype=np.float64),
        np.array([[one[name].of for name in names] for one in measures], dtype=np.float64),
    )


def _difference(weights: Weights, both: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Draws by measures."""
    one, other = (_ratios(weights, counts) for counts in both)
    return other - one


def _ratios(weights: Weights, counts: tuple[Floats, Floats]) -> Floats:
    """Draws by measures, nan where a draw holds no question that a measure is for."""
    of = weights @ counts[1]
    ratios: Floats = np.divide(weights @ counts[0], of, out=np.full(of.shape, np.nan), where=of != 0)
    return ratios
