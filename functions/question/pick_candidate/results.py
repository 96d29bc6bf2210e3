"""What comes of a comparison: who won, and how each did."""

from selfrag.domain.answers import Citation
from selfrag.domain.calls import StepResult
from selfrag.domain.scores.shown import Scores
from selfrag.domain.verdicts import Critique


class Winner(Critique):
    """The answer that won, its verdicts, and whether what it rests on is `relevant`."""

    answer: str
    citations: list[Citation] = []
    cut: bool = False
    relevant: bool = True


class Result(StepResult):
    """The winner, null where all are out, and how each did."""

    winner: Winner | None
    scores: Scores
