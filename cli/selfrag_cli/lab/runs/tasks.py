"""The questions that are left."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.runs.results import Result, Results
from selfrag_cli.lab.runs.variants import Variant


@dataclass(frozen=True)
class Task:
    """A question to be asked by a variant."""

    question: GoldQuestion
    variant: Variant


def result_of(task: Task, response: dict[str, Any], seconds: float, release: str | None = None) -> Result:
    """Make the line of a task's response for the file of results."""
    return Result(
        variant=task.variant.name,
        **task.variant.way,
        question_id=task.question.id,
        question=task.question.question,
        seconds=seconds,
        release=release,
        response=response,
    )


def tasks_left(questions: Sequence[GoldQuestion], variants: Sequence[Variant], results: Results) -> list[Task]:
    """Return what has no result yet, or one that failed; a question by all variants before the next one.

    So a run that is stopped has compared what it has asked. Each question has its own order of variants, the same each
    time, so that none gains by coming first or last.
    """
    tasks = [
        Task(question, variant)
        for question in questions
        for variant in sorted(variants, key=lambda one: sha256(f"{question.id} {one.name}".encode()).digest())
    ]
    known = [results.find(task.variant.name, task.question.id) for task in tasks]
    return [task for task, result in zip(tasks, known, strict=True) if result is None or result.failed]


class Waiting:
    """Tasks in their order; the caller takes one and notes its end."""

    def __init__(self, tasks: Sequence[Task], results: Results) -> None:
        self._tasks, self._results = list(tasks), results
        self._to_come = {(task.variant.name, task.question.id) for task in tasks}

    def __len__(self) -> int:
        return len(self._tasks)

    def first(self) -> Task | None:
        """Return the first task that can begin; a follow-up of a question without an answer is dropped."""
        for task in list(self._tasks):
            if not task.question.after or self.previous(task):
                return task
            if (task.variant.name, task.question.after) not in self._to_come:
                self.take(task)
                self.ended(task)
        return None

    def previous(self, task: Task) -> str:
        """Return the id that the same variant's answer to the earlier question has; "" where there is none."""
        earlier = self._results.find(task.variant.name, task.question.after or "")
        return str(earlier.response["id"]) if earlier and not earlier.failed else ""

    def take(self, task: Task) -> None:
        """Begin a task."""
        self._tasks.remove(task)

    def ended(self, task: Task) -> None:
        """Note that a task brings no further answer in this run."""
        self._to_come.discard((task.variant.name, task.question.id))
