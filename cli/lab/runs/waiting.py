"""The tasks that wait for their turn: a follow-up is not begun before the question that it follows has an answer."""

from collections.abc import Sequence

from cli.lab.runs.results import Results
from cli.lab.runs.tasks import Task


class Waiting:
    """Tasks in their order; the caller takes one and notes its end."""

    def __init__(self, tasks: Sequence[Task], results: Results) -> None:
        self._tasks, self._results = list(tasks), results
        self._to_come = {(task.variant.name, task.question.id) for task in tasks}

    def __len__(self) -> int:
        return len(self._tasks)

    def first(self) -> Task | None:
        """The first task that can begin; one that follows a question which got no answer never can, and is dropped."""
        for task in list(self._tasks):
            if not task.question.after or self.previous(task):
                return task
            if (task.variant.name, task.question.after) not in self._to_come:
                self.take(task)
                self.ended(task)
        return None

    def previous(self, task: Task) -> str:
        """The id that the same variant's answer to the earlier question has; "" where there is none."""
        earlier = self._results.find(task.variant.name, task.question.after or "")
        return str(earlier.response["id"]) if earlier and not earlier.failed else ""

    def take(self, task: Task) -> None:
        """Begin a task."""
        self._tasks.remove(task)

    def ended(self, task: Task) -> None:
        """Note that a task brings no further answer in this run."""
        self._to_come.discard((task.variant.name, task.question.id))
