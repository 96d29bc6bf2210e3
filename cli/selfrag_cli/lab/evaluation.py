"""`selfrag eval`: from a set of questions and some variants to findings."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.runtime.settings import Settings, read
from selfrag_cli.lab.findings import Findings
from selfrag_cli.lab.judge import Judge, judge_answers
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.runs.asking import Ask, asking_endpoint, asking_place, bring_in_step
from selfrag_cli.lab.runs.costs import MARGIN, RunBudget, estimated_usd, usual_usd
from selfrag_cli.lab.runs.results import Results, no_results, opened_results
from selfrag_cli.lab.runs.running import QuestionTask, Run, ended_by_signals, tasks_left
from selfrag_cli.lab.runs.variants import Variant
from selfrag_cli.lab.traces import opened_traces, traces_beside, written_from_beside
from selfrag_cli.local.backends import AS_SET, Setup, is_offline
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.terminal import measuring_progress


@dataclass(frozen=True)
class EvaluationPlan:
    """The questions, the variants, the file of results, how many are asked at a time, and the most dollars.

    `place` is None for a deployment, which is at `endpoint`. With no dollars nothing is asked. A `judge` is a model.
    """

    questions: Sequence[GoldQuestion]
    variants: Sequence[Variant]
    results: Path
    parallel: int
    max_cost: float | None
    place: DocumentSource | None
    endpoint: str = ""
    judge: str = ""

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


def evaluate(plan: EvaluationPlan) -> tuple[Findings, int]:
    """Ask what has no result yet; return the findings and the number of questions without one.

    Raises InvalidInput for results of something else, a collection that was never read or a limit that buys nothing,
    and what keeps all questions from an answer; what was answered until then is stored.
    """
    if plan.place is None and any(variant.setup != AS_SET for variant in plan.variants):
        raise InvalidInput(
            "A deployment asks by its own prompts and models: variants by prompt and profile are for this machine. "
            "Deploy another one to compare it, with its own `profile`, or its own prompts."
        )
    with _opened(plan) as results:
        tasks = tasks_left(plan.questions, plan.variants, results)
        usual, left = _usual_usd(plan), len(tasks)
        usd = estimated_usd([task.variant.name for task in tasks], results, usual)
        dollars = "an unknown number of dollars" if usd is None else f"about {usd:.2f} dollars"
        spent = f"; {results.spent:.2f} dollars are spent" if results.spent else ""
        total = len(plan.questions) * len(plan.variants)
        typer.echo(f"selfrag: {left} of {total} answers to get, for {dollars}{spent}", err=True)
        if tasks and not plan.only_estimates:
            left -= _ask(plan, tasks, results, _budget(plan, results, usual))
        return Findings(plan.questions, plan.variants, results.find), left


def _ask(plan: EvaluationPlan, tasks: Sequence[QuestionTask], results: Results, budget: RunBudget | None) -> int:
    """Ask by one setup after another, and return the number of answers."""
    if plan.place:
        bring_in_step(plan.place)
    done = 0
    with measuring_progress() as progress:
        for setup in dict.fromkeys(task.variant.setup for task in tasks):
            own = [task for task in tasks if task.variant.setup == setup]
            with _asking(plan, setup) as ask:
                show = partial(_show, progress, done, len(tasks))
                run = Run(own, ask, results, plan.parallel, budget, show)
                with ended_by_signals(run) as is_ended:
                    done += len(own) - run.run()
            if is_ended.is_set():
                break
    return done


def _show(progress: Callable[[str, int, int], None], before: int, total: int, done: int, _: int, usd: float) -> None:
    progress(f"Asking, {usd:.2f} USD spent", before + done, total)


def judge_findings(plan: EvaluationPlan, findings: Findings) -> int:
    """Have each answer judged for what is left of the dollars, and return the number of missing verdicts."""
    spent = sum(result.usd or 0.0 for results in findings.results.values() for result in results)
    judge = Judge(plan.judge, plan.parallel, None if plan.max_cost is None else plan.max_cost - spent)
    written_from = written_from_beside(plan.results)
    with measuring_progress() as progress:
        report = judge_answers(findings, written_from, judge, lambda done, total: progress("Judging", done, total))
    return report.missing


def _opened(plan: EvaluationPlan) -> AbstractContextManager[Results]:
    if plan.only_estimates and not plan.results.exists():
        return nullcontext(no_results(plan.source))
    return opened_results(plan.results, plan.source, plan.variants)


def _usual_usd(plan: EvaluationPlan) -> dict[str, float | None]:
    """Return the usual cost of a variant's question, by the models and prices of the settings."""
    if plan.place and is_offline():
        return {variant.name: 0.0 for variant in plan.variants}
    settings = read(Settings)
    models = {
        of: read(Settings, profile=of or settings.profile).models for of in {v.setup.profile for v in plan.variants}
    }
    return {
        variant.name: usual_usd(models[variant.setup.profile], settings.prices, variant.policy)
        for variant in plan.variants
    }


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
def _asking(plan: EvaluationPlan, setup: Setup) -> Iterator[Ask]:
    if plan.place is None:
        yield asking_endpoint(plan.endpoint, os.environ.get("SELFRAG_API_KEY", ""))
        return
    with opened_traces(traces_beside(plan.results)) as store, asking_place(plan.place, setup, store) as ask:
        yield ask
