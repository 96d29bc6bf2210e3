"""`selfrag eval`: from a set of questions and some variants to findings."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.runtime.settings import Settings, read
from selfrag_cli.lab.findings import Findings
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.runs.asking import Ask, asking_endpoint, asking_place, brought_in_step
from selfrag_cli.lab.runs.costs import MARGIN, RunBudget, estimated_usd, usual_usd
from selfrag_cli.lab.runs.results import Results, no_results, opened_results
from selfrag_cli.lab.runs.running import Progress, Run, ended_by_signals, tasks_left
from selfrag_cli.lab.runs.variants import Variant
from selfrag_cli.lab.traces import opened_traces, traces_beside
from selfrag_cli.local.backends import check_generator, is_offline
from selfrag_cli.local.setup import AS_SET
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.progress import OnDocument


@dataclass(frozen=True)
class EvaluationPlan:
    """The questions, the variants, the file of results, how many are asked at a time, and the most dollars.

    `place` is None for a deployment, which is at `endpoint`. With no dollars nothing is asked.
    """

    questions: Sequence[GoldQuestion]
    variants: Sequence[Variant]
    results: Path
    parallel: int
    max_cost: float | None
    place: Place | None
    endpoint: str = ""

    @property
    def source(self) -> str:
        """Return the directory, collection or endpoint that answers."""
        if self.place is None:
            return self.endpoint
        return str(self.place.directory.resolve() if self.place.directory else self.place)

    @property
    def only_estimates(self) -> bool:
        """Return whether nothing is to be asked."""
        return self.max_cost == 0


@dataclass(frozen=True)
class Estimate:
    """Questions left of how many, their expected cost (None if a price is not known) and what was spent, in dollars."""

    left: int
    total: int
    usd: float | None
    spent: float


@dataclass(frozen=True)
class Display:
    """What an evaluation shows: warnings, the estimate before it starts, documents read, questions answered."""

    warn: Callable[[list[str]], None]
    estimate: Callable[[Estimate], None]
    reading: Callable[[], AbstractContextManager[OnDocument]]
    asking: Callable[[], AbstractContextManager[Progress]]


def evaluate(plan: EvaluationPlan, display: Display) -> tuple[Findings, int]:
    """Ask what has no result yet; return the findings and the number of questions without one.

    Raises InvalidInput for results of something else, a collection that was never read or a limit that buys nothing,
    and what keeps all questions from an answer; what was answered until then is stored.
    """
    _refuse_own_setups(plan)
    with _opened(plan) as results:
        tasks = tasks_left(plan.questions, plan.variants, results)
        usual = _usual_usd(plan)
        usd = estimated_usd([task.variant.name for task in tasks], results, usual)
        display.estimate(Estimate(len(tasks), len(plan.questions) * len(plan.variants), usd, results.spent))
        left = len(tasks)
        if tasks and not plan.only_estimates:
            budget = _budget(plan, results, usual)
            with _asking(plan, display) as ask, display.asking() as progress:
                run = Run(tasks, ask, results, plan.parallel, budget, progress)
                with ended_by_signals(run):
                    left = run.run()
        return Findings(plan.questions, plan.variants, results.find), left


def _refuse_own_setups(plan: EvaluationPlan) -> None:
    if plan.place is None and any(variant.setup != AS_SET for variant in plan.variants):
        raise InvalidInput(
            "A deployment asks by its own prompts and models: variants by prompt and profile are for this machine. "
            "Deploy another one to compare it, with its own `profile`, or its own prompts."
        )


def _opened(plan: EvaluationPlan) -> AbstractContextManager[Results]:
    if plan.only_estimates and not plan.results.exists():
        return nullcontext(no_results(plan.source))
    return opened_results(plan.results, plan.source, plan.variants)


def _usual_usd(plan: EvaluationPlan) -> dict[str, float | None]:
    """Return the usual cost of a variant's question, by the models and prices of the settings."""
    if plan.place and is_offline():
        return {variant.name: 0.0 for variant in plan.variants}
    settings = read(Settings)

    def usual(variant: Variant) -> float | None:
        models = read(Settings, profile=variant.setup.profile or settings.profile).models
        return usual_usd(models, settings.prices, variant.policy)

    return {variant.name: usual(variant) for variant in plan.variants}


def _budget(plan: EvaluationPlan, results: Results, usual: Mapping[str, float | None]) -> RunBudget | None:
    if plan.max_cost is None:
        return None
    costs = [usd for usd in usual.values() if usd is not None]
    if len(costs) < len(usual):
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    least = MARGIN * max(costs)
    if plan.max_cost - results.spent < least:
        raise InvalidInput(
            f"Of --max-cost {plan.max_cost:g}, {results.spent:.4f} dollars are spent; a question is only begun with "
            f"{least:.4f} more, so that the limit cuts no answer short."
        )
    return RunBudget(plan.max_cost, results.spent, least)


@contextmanager
def _asking(plan: EvaluationPlan, display: Display) -> Iterator[Ask]:
    if plan.place is None:
        yield asking_endpoint(plan.endpoint, os.environ.get("SELFRAG_API_KEY", ""))
        return
    for variant in plan.variants:
        check_generator(variant.policy)
    with display.reading() as on_document:
        display.warn(brought_in_step(plan.place, on_document))
    with (
        opened_traces(traces_beside(plan.results)) as store,
        asking_place(plan.place, plan.variants, store) as ask,
    ):
        yield ask
