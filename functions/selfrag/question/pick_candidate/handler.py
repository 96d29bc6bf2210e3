"""The Lambda of the state PickCandidate."""

from selfrag import bootstrap
from selfrag.question.pick_candidate.logic import Task, pick
from selfrag.question.pick_candidate.results import Result


@bootstrap.step("pick_candidate", Task)
def handler(task: Task) -> Result:
    """Pick the best of the answers."""
    return pick(task)
