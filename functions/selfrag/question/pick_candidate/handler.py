"""The Lambda of the state PickCandidate."""

from selfrag import bootstrap
from selfrag.domain.steps import PickCandidateResult, PickCandidateTask
from selfrag.question.pick_candidate.logic import pick


@bootstrap.step("pick_candidate", PickCandidateTask)
def handler(task: PickCandidateTask) -> PickCandidateResult:
    """Pick the best of the answers."""
    return pick(task)
