"""Questions to a decision model and its probabilities."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from selfrag.domain.base import Model

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
# Probabilities by option.
Distribution = dict[str, Probability]
YES, NO = "yes", "no"
# The option "not enough to tell": a decision model always picks one.
CANNOT_TELL = "cannot_tell"
# Tolerance: servers round probabilities to a few digits.
_SUM_TOLERANCE = 0.02


class DecisionQuestion(Model):
    """A typed question: yes or no, named options, or ordered levels from the lowest.

    `criteria` explains each option or level; a yes/no question names `yes` and `no`.
    """

    type: Literal["yes_no", "choice", "levels"]
    instructions: str
    criteria: dict[str, str] | list[str]

    @model_validator(mode="after")
    def _check_criteria(self) -> "DecisionQuestion":
        if isinstance(self.criteria, list) != (self.type == "levels"):
            raise ValueError("levels have a list of criteria, other questions a map")
        if self.type == "yes_no" and set(self.criteria) != {YES, NO}:
            raise ValueError("the criteria of a question of yes or no are `yes` and `no`")
        return self

    @property
    def options(self) -> tuple[str, ...]:
        """Return the option names; levels are numbered from 1."""
        if isinstance(self.criteria, dict):
            return tuple(self.criteria)
        return tuple(str(level) for level in range(1, len(self.criteria) + 1))

    def about(self, item: str) -> "DecisionQuestion":
        """Return the question with `{item}` replaced in its instructions."""
        return self.replace(instructions=self.instructions.replace("{item}", item))


class Thresholds(Model):
    """A decision model is sure from `upper` up and from `lower` down, and in doubt between.

    The defaults are a cautious guess; `selfrag eval graders --adopt` measures them.
    """

    upper: Probability = 0.9
    lower: Probability = 0.1

    @model_validator(mode="after")
    def _check_order(self) -> "Thresholds":
        if self.lower > self.upper:
            raise ValueError("`lower` must not be above `upper`")
        return self


def is_distribution(probabilities: Mapping[str, float], question: DecisionQuestion) -> bool:
    """Return whether the probabilities cover all options and sum to 1."""
    values = list(probabilities.values())
    if set(probabilities) != set(question.options) or not all(0.0 <= value <= 1.0 for value in values):
        return False
    return math.isclose(sum(values), 1.0, abs_tol=_SUM_TOLERANCE)


def most_probable_option(probabilities: Mapping[str, float], worst_first: tuple[str, ...]) -> str:
    """Return the most probable option; ties go to the earlier one in `worst_first`."""
    return max(worst_first, key=lambda option: probabilities.get(option, 0.0))


def median_level(probabilities: Mapping[str, float]) -> int:
    """Return the median level, from 1."""
    total = 0.0
    for level in range(1, len(probabilities)):
        total += probabilities[str(level)]
        if total >= 0.5 * sum(probabilities.values()):
            return level
    return len(probabilities)
