"""The Lambda of the state RankPaths."""

from selfrag.question.rank_paths.logic import Result, Task, rank
from selfrag import bootstrap


@bootstrap.step(Task)
def handler(task: Task) -> Result:
    """Keep the best paths of a level."""
    return rank(task)
