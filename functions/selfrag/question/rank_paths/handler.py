"""The Lambda of the state RankPaths."""

from selfrag import bootstrap
from selfrag.domain.steps import RankPathsResult, RankPathsTask
from selfrag.question.rank_paths.logic import rank


@bootstrap.step("rank_paths", RankPathsTask)
def handler(task: RankPathsTask) -> RankPathsResult:
    """Keep the best paths of a level."""
    return rank(task)
