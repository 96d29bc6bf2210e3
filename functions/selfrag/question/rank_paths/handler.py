"""The Lambda of the state RankPaths."""

from selfrag import bootstrap
from selfrag.question.rank_paths.logic import Result, Task, rank


@bootstrap.step("rank_paths", Task)
def handler(task: Task) -> Result:
    """Keep the best paths of a level."""
    return rank(task)
