"""The smallest difference between two variants that so many questions show."""

from math import sqrt

from scipy.optimize import brentq
from scipy.stats import norm

# Of all questions, the share that only one of two variants answers right; of differences, the share that are shown.
DISCORDANT, POWER = 0.1, 0.8


def least_difference(questions: int, discordant: float = DISCORDANT) -> float | None:
    """Return the difference of two shares that so many paired questions show with 80% at 5%; None if none is shown.

    By the approximation of McNemar's test (Connor 1987). No difference is larger than the share of discordant pairs.
    """
    of_chance, of_missing = norm.ppf(0.975), norm.ppf(POWER)

    def lacking(difference: float) -> float:
        wanted = of_chance * sqrt(discordant) + of_missing * sqrt(discordant - difference**2)
        return float((wanted / difference) ** 2 - questions)

    return None if lacking(discordant) > 0 else float(brentq(lacking, 1e-6, discordant))
