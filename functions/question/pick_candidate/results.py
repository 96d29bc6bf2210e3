"""What comes of a comparison: who won, and how each did."""

from selfrag.domain.answers import Draft
from selfrag.domain.calls import StepResult
from selfrag.domain.scores.shown import Scores


class Result(StepResult):
    """The winner, null where all are out, and how each did."""

    winner: Draft | None
    scores: Scores
