"""`selfrag eval`: from a set of questions and some variants to a report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from cli.lab.gold.question_sets import GoldQuestion
from cli.lab.report import Findings
from cli.lab.runs.asking import Ask, asking_endpoint, asking_place, brought_in_step
from cli.lab.runs.budget import MARGIN, Budget
from cli.lab.runs.estimates import estimated_usd, usual_usd
from cli.lab.runs.results import Results, no_results, opened_results
from cli.lab.runs.running import Run, Tell, ended_by_signals
from cli.lab.runs.tasks import tasks_left
from cli.lab.runs.variants import Variant
from cli.lab.traces import keeping_traces, traces_beside
from cli.local.backends import check_generator, is_offline
from cli.local.setup import AS_SET
from cli.local.sources.place import Place
from cli.local.sources.sync import OnDocument
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.runtime.settings import Settings, read


@dataclass(frozen=True)
class Plan:
    """The questions, the variants, the file of results, how many are asked at a time, and the most dollars.

    `place` is None for a deployment, which is at `endpoint`.
    """

    questions: Sequence[GoldQuestion]
    variants: Sequence[Variant]
    results: Path
    parallel: int
    max_cost: float | None
    place: Place | None
    endpoint: str = ""
    api_key: str = ""

    @property
    def asked(self) -> str:
        """Return the directory, collection or endpoint that answers."""
        if self.place is None:
            return self.endpoint
        return str(self.place.directory.resolve() if self.place.directory else self.place)


@dataclass(frozen=True)
class Estimate:
    """Questions left of how many, their expected cost (None: not known) and what was spent, in dollars."""

    left: int
    total: int
    usd: float | None
    spent: float


@dataclass(frozen=True)
class Told:
    """Callbacks of an evaluation: warnings, the estimate before it starts, documents read, questions answered."""

    warn: Callable[[list[str]], None]
    estimate: Callable[[Estimate], None]
    reading: Callable[[], AbstractContextManager[OnDocument]]
    asking: Callable[[], AbstractContextManager[Tell]]


def evaluate(plan: Plan, told: Told, dry: bool = False) -> tuple[Findings, int]:
    """Ask what has no result yet; return the findings and how many questions are without one.

    A dry run asks nothing. Raises InvalidInput for results of something else, a collection that was never read or a
    limit that buys nothing, and what keeps all questions from an answer; what was answered until then is kept.
    """
    refuse_own_setups(plan)
    with _opened(plan, dry) as results:
        tasks = tasks_left(plan.questions, plan.variants, results)
        usual = _usual(plan)
        total = len(plan.questions) * len(plan.variants)
        told.estimate(Estimate(len(tasks), total, estimated_usd(tasks, results, usual), results.spent))
        left = len(tasks)
        if tasks and not dry:
            budget = _budget(plan, results, usual)
            with _asking(plan, told) as ask, told.asking() as tell:
                run = Run(tasks, ask, results, plan.parallel, budget, tell)
                with ended_by_signals(run):
                    left = run.run()
        return Findings(plan.questions, plan.variants, results), left


def refuse_own_setups(plan: Plan) -> None:
    """Raise InvalidInput where a deployment would have to ask by other prompts or models than its own."""
    if plan.place is None and any(variant.setup != AS_SET for variant in plan.variants):
        raise InvalidInput(
            "A deployment asks by its own prompts and models: --prompt and --profile are for this machine. Deploy "
            "another one to compare it, with its own `profile`, or its own prompts."
        )


def _opened(plan: Plan, dry: bool) -> AbstractContextManager[Results]:
    if dry and not plan.results.exists():
        return nullcontext(no_results(plan.asked))
    return opened_results(plan.results, plan.asked, plan.variants)


def _usual(plan: Plan) -> dict[str, float | None]:
    """Return the usual cost of a variant's question, by the models and prices of the settings."""
    if plan.place and is_offline():
        return {variant.name: 0.0 for variant in plan.variants}
    settings = read(Settings)

    def usual(variant: Variant) -> float | None:
        models = read(Settings, profile=variant.setup.profile or settings.profile).models
        return usual_usd(models, settings.prices, variant.policy)

    return {variant.name: usual(variant) for variant in plan.variants}


def _budget(plan: Plan, results: Results, usual: Mapping[str, float | None]) -> Budget | None:
    if plan.max_cost is None:
        return None
    known = [usd for usd in usual.values() if usd is not None]
    if len(known) < len(usual):
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    least = MARGIN * max(known)
    if plan.max_cost - results.spent < least:
        raise InvalidInput(
            f"Of --max-cost {plan.max_cost:g}, {results.spent:.4f} dollars are spent; a question is only begun with "
            f"{least:.4f} more, so that the limit cuts no answer short."
        )
    return Budget(plan.max_cost, results.spent, least)


@contextmanager
def _asking(plan: Plan, told: Told) -> Iterator[Ask]:
    if plan.place is None:
        yield asking_endpoint(plan.endpoint, plan.api_key)
        return
    for variant in plan.variants:
        check_generator(variant.policy)
    with told.reading() as on_document:
        told.warn(brought_in_step(plan.place, on_document))
    with (
        keeping_traces(traces_beside(plan.results)) as keep,
        asking_place(plan.place, plan.variants, keep) as ask,
    ):
        yield ask
