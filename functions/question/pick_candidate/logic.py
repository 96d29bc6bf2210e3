"""Which of the answers that were written wins."""

from question.pick_candidate.paths import Paths, Result, pick_path

Task = Paths


def pick(task: Task) -> Result:
    """The winner, and how all were scored."""
    return pick_path(task)
