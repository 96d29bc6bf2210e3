"""The questions that are left, and their expected cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from cli.lab.gold.question_sets import GoldQuestion
from cli.lab.runs.results import Result, Results
from cli.lab.runs.variants import Variant
from selfrag.domain.calls import Prices, price_of
from selfrag.runtime.models import FIRST

# What a question takes that is answered at the first try, from docs/costs.md: calls, and tokens of one.
TOKENS: dict[str, tuple[int, int, int]] = {
    "decide_retrieval": (1, 1140, 79),
    "grade_relevance": (4, 1346, 91),
    "generate": (1, 2803, 135),
    "grade_support": (1, 2993, 96),
    "grade_utility": (1, 1257, 79),
}
# How often the first judge of support is doubted, so that the step's own model is asked, too: assumed, not measured.
DOUBTED = 0.1


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

    So a run that is stopped has compared what it has asked.
    """
    tasks = [Task(question, variant) for question in questions for variant in variants]
    known = [results.find(task.variant.name, task.question.id) for task in tasks]
    return [task for task, result in zip(tasks, known, strict=True) if result is None or result.failed]


def usual_usd(models: Mapping[str, str], prices: Mapping[str, Prices]) -> float | None:
    """Return the dollars of a question that is answered at the first try; None if a model has no price.

    `models` are those of the steps, as in the settings. Nothing is read from Claude's prompt cache.
    """
    shares = dict.fromkeys(TOKENS, 1.0)
    if FIRST in models:
        shares |= {FIRST: 1.0, "grade_support": DOUBTED}
    dollars = 0.0
    for step, share in shares.items():
        price = price_of(models[step], prices)
        if price is None:
            return None
        calls, read, written = TOKENS.get(step, TOKENS["grade_support"])
        dollars += share * calls * (read * price[0] + written * price[1]) / 1_000_000
    return dollars


def estimated_usd(tasks: Sequence[Task], results: Results, usual: Mapping[str, float | None]) -> float | None:
    """Estimate the dollars of the tasks: by the mean of the variant so far, else by what is usual."""
    means = {task.variant.name: usual[task.variant.name] for task in tasks}
    for name in means:
        known = [result.usd for result in results.of(name) if result.usd is not None]
        means[name] = fmean(known) if known else means[name]
    costs = [means[task.variant.name] for task in tasks]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


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
