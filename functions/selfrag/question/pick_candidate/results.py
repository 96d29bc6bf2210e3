"""The result of a comparison: the winner, and the scores of all."""

from selfrag.domain.answers import Draft
from selfrag.domain.calls import StepResult
from selfrag.domain.scores.shown import Scores


class Result(StepResult):
    """The winner, null where all are out, and the scores of all."""

    winner: Draft | None
    scores: Scores
