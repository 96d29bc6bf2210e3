"""The errors of `selfrag eval`'s statistics where nothing differs, and what they give beside scipy's.

python -m tests.bench.chance
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, permutation_test

from selfrag_cli.lab.metrics.comparison import ALPHA, differences
from selfrag_cli.lab.metrics.measures import Measured, Share
from selfrag_cli.lab.metrics.shares import share
from selfrag_cli.lab.metrics.significance import swapped

RUNS, DRAWS, TABLES = 1000, 1000, 200
SIZES = (20, 60, 200)
# Of the questions, the share that the other variant answers anew: of its answers one in six is right or wrong alone.
ANEW = 0.5
PRIMARY = "match"
YES_OR_NO, NUMBERS = ("answered", "citations_right", "exact_match"), ("f1", "utility", "seconds", "usd", "rounds")

Floats = NDArray[np.float64]


class Errors(NamedTuple):
    """Shares of runs in which a difference is called real: the primary measure, and any of the others, by both p."""

    primary: float
    any_by_own_p: float
    any_by_holm: float


def errors(questions: int, runs: int = RUNS, draws: int = DRAWS, seed: int = 5) -> Errors:
    """Compare two variants that answer alike but for chance, so many times."""
    random, primary, own, by_holm = np.random.default_rng(seed), 0, 0, 0
    for _ in range(runs):
        found = differences(*_two_alike(random, questions), PRIMARY, draws=draws)
        others = [gap for name, gap in found.items() if name != PRIMARY]
        primary += found[PRIMARY].verdict == "real"
        own += any(gap.p < ALPHA for gap in others)
        by_holm += any(gap.verdict == "real" for gap in others)
    return Errors(primary / runs, own / runs, by_holm / runs)


def _two_alike(random: np.random.Generator, questions: int) -> tuple[list[Measured], list[Measured]]:
    hard, anew = random.random(questions), random.random(questions) < ANEW
    one = _answers(random, hard)
    return one, [new if again else old for old, new, again in zip(one, _answers(random, hard), anew, strict=True)]


def _answers(random: np.random.Generator, hard: Floats) -> list[Measured]:
    def answer(of: float) -> Measured:
        claims, right = int(random.integers(1, 5)), float(random.random() > of)
        return {
            PRIMARY: Share(right),
            **{name: Share(float(random.random() > of / 2)) for name in YES_OR_NO},
            **{name: Share(float(random.lognormal(of) + right)) for name in NUMBERS},
            "supported_claims": Share(float(random.binomial(claims, 1 - of / 2)), claims),
        }

    return [answer(of) for of in hard]


def widest_gap_of_shares(seed: int = 6) -> float:
    """Return the largest difference between Wilson's ends here and scipy's, on random shares."""
    random, gaps = np.random.default_rng(seed), []
    for _ in range(TABLES):
        of = int(random.integers(1, 500))
        count = int(random.integers(0, of + 1))
        found, ends = share(count, of), binomtest(count, of).proportion_ci(method="wilson")
        gaps += [abs(found.low - ends.low), abs(found.high - ends.high)] if found else []
    return float(max(gaps))


def widest_gap_of_swaps(seed: int = 7) -> float:
    """Return the largest difference between p here and scipy's of all ways to swap the answers to ten questions."""
    random, gaps = np.random.default_rng(seed), []
    for _ in range(TABLES):
        one, other = random.random((2, 10))
        ones = np.ones((10, 1))
        found = swapped((one[:, np.newaxis], ones), (other[:, np.newaxis], ones))
        exact = permutation_test((other - one,), np.mean, permutation_type="samples", n_resamples=2000)
        gaps.append(abs(float(found[0]) - exact.pvalue))
    return float(max(gaps))


def main() -> None:
    """Print the figures of docs/evaluation.md."""
    print(f"Wilson's ends and scipy's on {TABLES} random shares: {widest_gap_of_shares():.1g} apart at most")
    print(f"p by swaps and scipy's on {TABLES} random tables: {widest_gap_of_swaps():.2g} apart at most")
    for count in (0, 15):
        if found := share(count, 15):
            print(f"{count} of 15: {found.low:.3f} to {found.high:.3f}")
    for questions in SIZES:
        found_errors = errors(questions)
        told = ", ".join(f"{name} {value:.3f}" for name, value in found_errors._asdict().items())
        print(f"{questions} questions, {RUNS} runs without a difference, called real: {told}")


if __name__ == "__main__":
    main()
