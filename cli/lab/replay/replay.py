"""`selfrag replay`: recorded verdicts given again under other prompts or models."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from cli.lab.replay.judges import judging
from cli.lab.replay.report import Found, identity
from cli.lab.replay.traces import GRADERS, Recorded, Trace
from cli.lab.runs.budget import MARGIN, MOST_IN_A_ROW, Budget
from cli.lab.runs.prompts import read_prompt, read_step
from cli.lab.runs.tasks import TOKENS
from selfrag import bootstrap
from selfrag.domain.calls import StepResult, price_of
from selfrag.domain.errors import BudgetExceeded, InvalidInput, Misconfigured, TemporarilyUnavailable
from selfrag.ports.prompts import Prompt
from selfrag.runtime.models import FIRST

# Called with how many verdicts of how many there are.
Tell = Callable[[int, int], object]
Judge = Callable[[Recorded, float | None], StepResult]


@dataclass(frozen=True)
class Changes:
    """Prompts and models in place of the graders' own, by their folders."""

    prompts: Mapping[str, Prompt]
    models: Mapping[str, str]

    @classmethod
    def of(cls, prompts: Sequence[str], models: Sequence[str]) -> "Changes":
        """Read `STEP=FILE` and `STEP=MODEL`; raises InvalidInput with one sentence."""
        read = [read_prompt(text, tuple(GRADERS.values())) for text in prompts]
        wanted = "a step and a model: --model grade_support=claude-opus-5-5"
        named = [read_step(text, (*GRADERS.values(), FIRST), wanted) for text in models]
        for steps in ([step for step, _, _ in read], [step for step, _ in named]):
            for step in steps:
                if steps.count(step) > 1:
                    raise InvalidInput(f"{step} can be changed in one way at a time.")
        return cls({step: prompt for step, _, prompt in read}, dict(named))

    @property
    def steps(self) -> set[str]:
        """The folders of the steps that judge otherwise."""
        return {*self.prompts, *("grade_support" if step == FIRST else step for step in self.models)}


def replayed(traces: Sequence[Trace], changes: Changes, parallel: int, max_cost: float | None, tell: Tell) -> Found:
    """Judge traces again, for so many dollars at most, None for no limit.

    Raises Misconfigured for a service or a model that cannot be or a limit without prices, InvalidInput for a limit
    that buys nothing, and TemporarilyUnavailable when several verdicts in a row fail; what was judged stays cached.
    """
    wanted = _to_judge(traces, changes.steps)
    with judging(traces, changes.prompts, changes.models) as judges:
        budget = None if max_cost is None else _budget(max_cost, changes.steps or GRADERS.values())
        return Found(traces, wanted, _judged(wanted, judges.judge, parallel, budget, tell))


def _to_judge(traces: Sequence[Trace], changed: Collection[str]) -> dict[str, Recorded]:
    """Return the steps to judge, each once; those that are changed, and cost something, come last.

    A verdict of an earlier release has no key, so it stands unless its step is changed.
    """
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    wanted = [step for step in steps if step.judged or GRADERS[step.name] in changed]
    return {identity(step): step for step in sorted(wanted, key=lambda step: GRADERS[step.name] in changed)}


def _judged(
    wanted: Mapping[str, Recorded], judge: Judge, parallel: int, budget: Budget | None, tell: Tell
) -> dict[str, StepResult]:
    """Return the verdicts by their identities, until all is judged or the next one cannot be paid."""
    steps, found, in_a_row = list(wanted.items()), dict[str, StepResult](), 0
    with ThreadPoolExecutor(parallel) as threads:
        for start in range(0, len(steps), parallel):
            some = steps[start : start + parallel]
            limits = [budget.hold(len(some) - at, None) if budget else None for at in range(len(some))]
            begun = [(*one, limit) for one, limit in zip(some, limits, strict=True) if limit or not budget]
            results = threads.map(lambda one: judge(one[1], one[2]), begun)
            for (name, _, limit), result in zip(begun, results, strict=True):
                found[name] = result
                if budget and limit:
                    budget.settle(limit, _cost(result))
                missing = result.error is not None and result.error != BudgetExceeded.__name__
                in_a_row = in_a_row + 1 if missing else 0
                if in_a_row >= MOST_IN_A_ROW:
                    told = f"{MOST_IN_A_ROW} verdicts in a row could not be had; the last one: {result.cause}"
                    raise TemporarilyUnavailable(told)
            tell(len(found), len(wanted))
            if not begun:
                break
    return found


def _cost(result: StepResult) -> float | None:
    costs = [call.cost_usd for call in result.calls]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _budget(most: float, steps: Iterable[str]) -> Budget:
    budget = Budget(most, 0.0, MARGIN * max(map(_usual, steps)))
    if budget.least > budget.most:
        raise InvalidInput(f"A verdict is only begun with {budget.least:.4f} dollars left, so that none is cut.")
    return budget


def _usual(step: str) -> float:
    """Return what a verdict usually costs in dollars, by the models and prices of the settings."""
    settings = bootstrap.settings()
    _, read, written = TOKENS[step]
    judges = (step, FIRST) if step == "grade_support" and FIRST in settings.models else (step,)
    prices = [price_of(model, settings.prices) for model in {settings.models[judge] for judge in judges}]
    if None in prices:
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    return sum(read * price[0] + written * price[1] for price in prices if price) / 1_000_000
