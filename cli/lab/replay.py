"""`selfrag replay`: recorded verdicts given again under other prompts or models, without search and without writing."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from cli.lab.replay_report import Replay, cost, identity
from cli.lab.runs.budget import MARGIN, MOST_IN_A_ROW, Budget
from cli.lab.runs.estimates import TOKENS
from cli.lab.runs.variants import read_prompt, read_step
from cli.lab.traces import GRADERS, Recorded, Trace
from cli.local.backends import check_services, chosen_backends
from cli.local.sources.place import Place
from cli.local.stack import opened_stores
from question.grade_relevance import logic as grade_relevance
from question.grade_support import logic as grade_support
from question.grade_utility import logic as grade_utility
from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits, StepResult, price_of
from selfrag.domain.errors import BudgetExceeded, InvalidInput, Misconfigured, TemporarilyUnavailable
from selfrag.ports.cache import VerdictCache
from selfrag.ports.prompts import Prompt, load_prompt
from selfrag.runtime.models import FIRST
from selfrag.runtime.settings import Settings, read

# Called with the number of verdicts so far, and of all.
Tell = Callable[[int, int], object]
Judge = Callable[[Recorded, float | None], StepResult]

LOGICS: dict[str, ModuleType] = {
    "GradeRelevance": grade_relevance,
    "GradeSupport": grade_support,
    "GradeUtility": grade_utility,
}


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
        """Return the folders of the steps that judge otherwise."""
        return {*self.prompts, *("grade_support" if step == FIRST else step for step in self.models)}


def replayed(traces: Sequence[Trace], changes: Changes, parallel: int, max_cost: float | None, tell: Tell) -> Replay:
    """Judge traces again, for so many dollars at most, None for no limit.

    Raises Misconfigured for a service or a model that cannot be or a limit without prices, InvalidInput for a limit
    that buys nothing, and TemporarilyUnavailable when several verdicts in a row fail; what was judged stays cached.
    """
    wanted = _to_judge(traces, changes.steps)
    with _judging(traces, changes) as judge:
        budget = None if max_cost is None else _budget(max_cost, changes.steps or GRADERS.values())
        return Replay(traces, wanted, _judged(wanted, judge, parallel, budget, tell))


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
                    budget.settle(limit, cost([result]))
                missing = result.error is not None and result.error != BudgetExceeded.__name__
                in_a_row = in_a_row + 1 if missing else 0
                if in_a_row >= MOST_IN_A_ROW:
                    told = f"{MOST_IN_A_ROW} verdicts in a row could not be had; the last one: {result.cause}"
                    raise TemporarilyUnavailable(told)
            tell(len(found), len(wanted))
            if not begun:
                break
    return found


def _budget(most: float, steps: Collection[str]) -> Budget:
    budget = Budget(most, 0.0, MARGIN * max(map(_usual, steps)))
    if budget.least > budget.most:
        raise InvalidInput(f"A verdict is only begun with {budget.least:.4f} dollars left, so that none is cut.")
    return budget


def _usual(step: str) -> float:
    """Return the usual cost of a verdict in dollars, by the models and prices of the settings."""
    settings = bootstrap.settings()
    _, read, written = TOKENS[step]
    judges = (step, FIRST) if step == "grade_support" and FIRST in settings.models else (step,)
    prices = [price_of(model, settings.prices) for model in {settings.models[judge] for judge in judges}]
    if None in prices:
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    return sum(read * price[0] + written * price[1] for price in prices if price) / 1_000_000


class _Traced:
    """The verdict cache of a replay: the verdicts of the traces, then another cache, which keeps the new ones."""

    def __init__(self, traces: Sequence[Trace], behind: VerdictCache) -> None:
        steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
        self._recorded = {judged.key: judged.verdict for step in steps for judged in step.judged}
        self._behind = behind
        self.put = behind.put

    def get(self, key: str) -> str | None:
        return self._recorded.get(key) or self._behind.get(key)


@contextmanager
def _judging(traces: Sequence[Trace], changes: Changes) -> Iterator[Judge]:
    """Give the graders with these prompts and models; the home's verdict cache keeps their verdicts.

    Raises Misconfigured for settings, a service or a model that cannot be.
    """
    check_services()
    # No sample documents are asked, so no web is needed.
    with chosen_backends(Place("replay")) as backends:
        by_rule = backends.environment.get("SELFRAG_MODELS")
        chosen = {**(json.loads(by_rule) if by_rule else read(Settings).models), **changes.models}
        environment = {**backends.environment, "SELFRAG_MODELS": json.dumps(chosen)}
        stores = opened_stores(environment, backends.secrets, {**backends.parts, "prompts": changes.prompts})
        with stores, bootstrap.using(verdicts=_Traced(traces, questions.verdicts())):
            graders = {
                state: questions.grader(GRADERS[state], load_prompt(str(logic.__file__)))
                for state, logic in LOGICS.items()
            }

            def judge(step: Recorded, budget_usd: float | None) -> StepResult:
                # The execution's own time and money are long gone.
                limits, logic = Limits(budget_usd=budget_usd), LOGICS[step.name]
                task = logic.Task.model_validate({**step.given, **limits.model_dump()}, extra="ignore")
                result: StepResult = logic.grade(task, graders[step.name](limits))
                return result

            yield judge
