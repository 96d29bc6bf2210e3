"""The Lambda of the state PickCandidate."""

from question.pick_candidate.logic import Task, pick
from question.pick_candidate.paths import Result
from selfrag import bootstrap


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Pick the best of the answers, or of the paths."""
    return pick(task)
