"""`selfrag replay`: from recorded questions and other prompts or models to a report."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from cli.lab.replay.judging import Judges
from cli.lab.replay.traces import GRADERS, Recorded, Trace
from cli.lab.runs.budget import Budget
from selfrag.domain.calls import StepResult
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable

# After so many verdicts that could not be had, one after the other, the next one is not expected to be.
MOST_IN_A_ROW = 5

# Called with how many verdicts of how many there are.
Tell = Callable[[int, int], object]


@dataclass(frozen=True)
class Replayed:
    """Traces, and what the graders say of each of their steps now; None where no verdict was asked for, or given."""

    traces: Sequence[Trace]
    results: Mapping[str, StepResult]
    changed: Collection[str]

    def again(self, step: Recorded) -> StepResult | None:
        """What the grader of a step says now."""
        return self.results.get(identity(step))


def identity(step: Recorded) -> str:
    """What is the same for steps that judge the same: one question found in two variants is judged once."""
    limits = ("deadline_ms", "budget_usd", "cache")
    given = {name: value for name, value in step.given.items() if name not in limits}
    return Recorded(name=step.name, given=given, result=None).model_dump_json()


def to_judge(traces: Sequence[Trace], changed: Collection[str]) -> dict[str, Recorded]:
    """The steps to judge, each once; `changed` are the folders whose prompt or model is named.

    A verdict of an earlier release has no key, so nobody knows whether it would be the same: it stands, unless its
    step is changed.
    """
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    return {identity(step): step for step in steps if step.judged or GRADERS[step.name] in changed}


@dataclass
class Replay:
    """Judges steps, so many at a time; `budget` is what may be spent, None for no limit."""

    judges: Judges
    parallel: int
    budget: Budget | None = None
    tell: Tell = lambda done, total: None
    _at_work: dict["Future[StepResult]", tuple[str, float | None]] = field(default_factory=dict)
    _found: dict[str, StepResult] = field(default_factory=dict)
    _in_a_row: int = 0

    def run(self, steps: Mapping[str, Recorded]) -> dict[str, StepResult]:
        """What is found until all is judged, or no money is left for the next one.

        Raises Misconfigured when the model refuses the caller, and TemporarilyUnavailable when several verdicts in a
        row cannot be had; what was judged until then is kept in the verdict cache.
        """
        waiting = dict(steps)
        with ThreadPoolExecutor(self.parallel) as threads:
            while self._begin(waiting, threads):
                self._collect()
                self.tell(len(self._found), len(steps))
        return self._found

    def _begin(self, waiting: dict[str, Recorded], threads: ThreadPoolExecutor) -> bool:
        """Begin what can begin now; whether anything is at work."""
        while waiting and (slots := self.parallel - len(self._at_work)):
            limit = self.budget.hold(min(slots, len(waiting)), None) if self.budget else None
            if self.budget and limit is None:
                break
            name = next(iter(waiting))
            self._at_work[threads.submit(self.judges.judge, waiting.pop(name), limit)] = name, limit
        return bool(self._at_work)

    def _collect(self) -> None:
        for future in wait(self._at_work, return_when=FIRST_COMPLETED).done:
            name, limit = self._at_work.pop(future)
            result = future.result()
            self._found[name] = result
            if self.budget and limit is not None:
                costs = [call.cost_usd for call in result.calls]
                self.budget.settle(limit, None if None in costs else sum(cost for cost in costs if cost is not None))
            missing = result.error is not None and result.error != BudgetExceeded.__name__
            self._in_a_row = self._in_a_row + 1 if missing else 0
            if self._in_a_row >= MOST_IN_A_ROW:
                told = f"{MOST_IN_A_ROW} verdicts in a row could not be had; the last one: {result.cause}"
                raise TemporarilyUnavailable(told)
