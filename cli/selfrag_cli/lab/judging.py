"""The deployed graders on cases of one's own: many at a time, within a sum, each verdict kept so as to be paid once."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits, ModelCall, StepResult, price_of
from selfrag.domain.decisions import Thresholds
from selfrag.domain.errors import BudgetExceeded, InvalidInput, Misconfigured, TemporarilyUnavailable
from selfrag.domain.steps import DecideRetrievalTask, GradeRelevanceTask, GradeSupportTask, GradeUtilityTask
from selfrag.judging.graders import Grader, GraderKind
from selfrag.judging.prompts import load_prompt
from selfrag.ports.cache import VerdictCache
from selfrag.ports.model import Prompt
from selfrag.question.decide_retrieval import logic as decide_retrieval
from selfrag.question.grade_relevance import logic as grade_relevance
from selfrag.question.grade_support import logic as grade_support
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.question.grade_support.judge import grade_by_decider
from selfrag.question.grade_utility import logic as grade_utility
from selfrag.runtime.decider_settings import GRADERS
from selfrag.runtime.models import FIRST
from selfrag.runtime.settings import Settings, read
from selfrag_cli.lab import correctness
from selfrag_cli.lab.runs.costs import MARGIN, TOKENS, RunBudget
from selfrag_cli.lab.runs.running import MOST_IN_A_ROW
from selfrag_cli.local.backends import check_services, chosen_backends
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.stack import opened_stores

# The settings of who judges each step and by which thresholds, and the first part of the key of a verdict's call.
_KINDS, _THRESHOLDS, _CALL = "SELFRAG_GRADERS", "SELFRAG_DECIDER_THRESHOLDS", "call#"


Name = TypeVar("Name")


class Case(NamedTuple):
    """A task for the grader whose step has this folder."""

    step: str
    fields: Mapping[str, object]


# Called with the number of verdicts so far, and of all.
Progress = Callable[[int, int], object]
# Judges a case for so many dollars at most.
Grade = Callable[[Case, float | None], StepResult]
# The code of each grader's step, by its folder: its logic, its task and the function that judges.
STEPS: dict[str, tuple[str, type[Limits], Callable[[Any, Grader], StepResult]]] = {
    "decide_retrieval": (decide_retrieval.__name__, DecideRetrievalTask, decide_retrieval.decide),
    "grade_relevance": (grade_relevance.__name__, GradeRelevanceTask, grade_relevance.grade),
    "grade_support": (grade_support.__name__, GradeSupportTask, grade_support.grade),
    "grade_utility": (grade_utility.__name__, GradeUtilityTask, grade_utility.grade),
    correctness.STEP: (correctness.__name__, correctness.CorrectnessTask, correctness.grade),
}


@dataclass(frozen=True)
class Setting:
    """Prompts, models and kinds of judges in place of the graders' own, by their folders."""

    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    graders: Mapping[str, GraderKind] = field(default_factory=dict)


# In place of a model's name: the step as it is set, with its first grader.
AS_SET = "as-set"


def alone(step: str, model: str) -> Setting:
    """Return the setting in which this model judges a step by itself, without a first grader."""
    of = asked_as(step)
    models = {of: model, FIRST: model} if of == "grade_support" else {of: model}
    return Setting(models=models, graders={of: "claude"})


def asked_as(step: str) -> str:
    """Return the step of a deployment whose model judges; the judge of support judges correctness, too."""
    return "grade_support" if step == correctness.STEP else step


@contextmanager
def judging(setting: Setting, recorded: Mapping[str, str]) -> Iterator[Grade]:
    """Give the graders by this setting; the home's verdict cache keeps their verdicts.

    `recorded` are verdicts of traces, by their keys. Raises Misconfigured for settings, a service or a
    model that cannot be.
    """
    check_services()
    # No sample documents are asked, so no web is needed.
    with chosen_backends(Place("replay")) as backends:
        by_rule = backends.environment.get("SELFRAG_MODELS")
        chosen = {**(json.loads(by_rule) if by_rule else read(Settings).models), **setting.models}
        kinds = json.loads(backends.environment.get(_KINDS) or os.environ.get(_KINDS) or "{}")
        graders_setting = json.dumps({**kinds, **setting.graders})
        environment = {**backends.environment, "SELFRAG_MODELS": json.dumps(chosen), _KINDS: graders_setting}
        # A decision model is measured by its own verdicts, also where Claude would confirm them.
        thresholds = json.loads(environment.get(_THRESHOLDS) or os.environ.get(_THRESHOLDS) or "{}")
        environment[_THRESHOLDS] = json.dumps({**dict.fromkeys(GRADERS, Thresholds().model_dump()), **thresholds})
        stores = opened_stores(environment, backends.secrets, {**backends.parts, "prompts": setting.prompts})
        with stores, bootstrap.using(verdicts=(replies := _ReplayCache(recorded, questions.verdicts()))):
            graders = {step: _grader(step) for step in STEPS}

            def grade(case: Case, budget_usd: float | None) -> StepResult:
                # An execution's own time and money are long gone.
                within = {"budget_usd": budget_usd, "collections": case.fields.get("collections", [])}
                limits, (_, kind, judge) = Limits.model_validate(within), STEPS[case.step]
                task = kind.model_validate({**case.fields, **limits.model_dump()}, extra="ignore")
                grader = graders[case.step](limits)
                alone = grader.decider if setting.graders.get(case.step) == "decider" else None
                if alone and isinstance(task, GradeSupportTask):
                    result: StepResult = grade_by_decider(task, AnswerEvidence(task.passages), alone)
                else:
                    result = judge(task, grader)
                replies.put_calls(result)
                return result

            yield grade


def _grader(step: str) -> Callable[[Limits], Grader]:
    module = STEPS[step][0]
    if step == correctness.STEP:
        return questions.grader(asked_as(step), load_prompt(module, "correctness.md"), step)
    return questions.grader(step, load_prompt(module), module=module)


def grader_of(step: str) -> Grader:
    """Return the grader that judges a step inside `judging`."""
    return _grader(step)(Limits())


class _ReplayCache:
    """The verdict cache of a replay: the recorded verdicts, then another cache, which stores the new ones.

    Beside each new one is its call: a cached verdict costs nothing, but its judge does.
    """

    def __init__(self, recorded: Mapping[str, str], behind: VerdictCache) -> None:
        self._recorded, self._behind = recorded, behind
        self._new: set[str] = set()

    def get(self, key: str) -> str | None:
        return self._recorded.get(key) or self._behind.get(key)

    def put(self, key: str, verdict: str) -> None:
        self._new.add(key)
        self._behind.put(key, verdict)

    def put_calls(self, result: StepResult) -> None:
        keys = [verdict.key for verdict in result.judged if verdict.key in self._new]
        # A call whose reply was no verdict has no key.
        if len(keys) == len(result.calls):
            for key, call in zip(keys, result.calls, strict=True):
                self._behind.put(_CALL + key, call.model_dump_json())


def calls_behind(result: StepResult) -> list[ModelCall] | None:
    """Return the calls of a result and of its cached verdicts, inside `judging`; None where one is not recorded."""
    if len(result.calls) >= len(result.judged):
        return result.calls
    texts = [questions.verdicts().get(_CALL + verdict.key) for verdict in result.judged]
    return None if None in texts else [ModelCall.model_validate_json(text) for text in texts if text]


def judged(
    cases: Mapping[Name, Case], grade: Grade, parallel: int, budget: RunBudget | None, progress: Progress
) -> dict[Name, StepResult]:
    """Return the verdicts by the names of their cases, until all is judged or the next one cannot be paid.

    Raises TemporarilyUnavailable when several verdicts in a row fail; what was judged stays cached.
    """
    names, results, failures = list(cases), dict[Name, StepResult](), 0
    with ThreadPoolExecutor(parallel) as threads:
        for start in range(0, len(names), parallel):
            batch = names[start : start + parallel]
            limits = [budget.hold(len(batch) - at, None) if budget else None for at in range(len(batch))]
            paid = [(name, limit) for name, limit in zip(batch, limits, strict=True) if limit or not budget]
            if not paid:
                break
            for (name, limit), result in zip(
                paid, threads.map(lambda pair: grade(cases[pair[0]], pair[1]), paid), strict=True
            ):
                results[name] = result
                if budget and limit:
                    budget.settle(limit, cost([result]))
                failed = result.error not in (None, BudgetExceeded.__name__)
                failures = failures + 1 if failed else 0
                if failures >= MOST_IN_A_ROW:
                    sentence = f"{MOST_IN_A_ROW} verdicts in a row could not be had; the last one: {result.cause}"
                    raise TemporarilyUnavailable(sentence)
            progress(len(results), len(cases))
    return results


def budget_of(most: float, steps: Collection[str]) -> RunBudget:
    """Return the budget of verdicts by these steps, inside `judging`.

    Raises Misconfigured without prices, and InvalidInput for a sum that buys nothing.
    """
    budget = RunBudget(most, 0.0, MARGIN * max(map(usual_usd, steps)))
    if budget.least > budget.most:
        raise InvalidInput(f"A verdict is only begun with {budget.least:.4f} dollars left, so that none is cut.")
    return budget


def usual_usd(step: str) -> float:
    """Return the usual cost of a verdict in dollars, by the models and prices of the settings."""
    settings = bootstrap.question_settings()
    # A judge of correctness reads about as much as one of use.
    _, read_tokens, written = TOKENS.get(step, TOKENS["grade_utility"])
    judges = (step, FIRST) if step == "grade_support" and FIRST in settings.models else (asked_as(step),)
    prices = [price_of(model, settings.prices) for model in {settings.models[judge] for judge in judges}]
    if None in prices:
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    return sum(read_tokens * price[0] + written * price[1] for price in prices if price) / 1_000_000


def cost(results: Collection[StepResult]) -> float | None:
    """Return the dollars of results; None if a price is unknown."""
    costs = [call.cost_usd for result in results for call in result.calls]
    return None if None in costs else sum(usd for usd in costs if usd is not None)
