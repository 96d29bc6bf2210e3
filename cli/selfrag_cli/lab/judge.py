"""Judging outside the workflow: cases by the deployed graders, and final answers by one judge.

Cases are judged in parallel, within a budget, and each verdict is cached, so that it is paid once.
"""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.answers import UNCITED, AnswerResponse
from selfrag.domain.base import Model
from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.decisions import Thresholds
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from selfrag.domain.steps import (
    DecideRetrievalTask,
    GradeRelevanceTask,
    GradeSupportResult,
    GradeSupportTask,
    GradeUtilityTask,
)
from selfrag.domain.verdicts import JudgedBy, judged_by
from selfrag.judging.graders import Grader, GraderKind
from selfrag.judging.prompts import load_prompt
from selfrag.ports.cache import VerdictCache
from selfrag.ports.model import Prompt
from selfrag.question.compose_answer.messages import WITHOUT_ANSWER
from selfrag.question.decide_retrieval import logic as decide_retrieval
from selfrag.question.grade_relevance import logic as grade_relevance
from selfrag.question.grade_support import logic as grade_support
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.question.grade_support.judge import grade_by_decider
from selfrag.question.grade_utility import logic as grade_utility
from selfrag.runtime.decider_settings import GRADERS as DECIDABLE
from selfrag.runtime.models import FIRST
from selfrag.runtime.settings import Settings, read
from selfrag_cli.lab.gate import MAX_FAILURES, RunBudget
from selfrag_cli.lab.question_sets import NOT_FOR_IT, GoldQuestion, Measured, Share
from selfrag_cli.lab.records import RunResult
from selfrag_cli.local.backends import check_services, choose_backends
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.local.stack import opened_stores

SUPPORT, CORRECTNESS = "grade_support", "grade_correctness"
UNGRADED = "ungraded"
# Replaces a model's name: the step as configured, with its first grader.
DEFAULT_JUDGE = "as-set"
# The settings of who judges each step and by which thresholds.
_KINDS, _THRESHOLDS = "SELFRAG_GRADERS", "SELFRAG_DECIDER_THRESHOLDS"

Name = TypeVar("Name")
Says = Literal["yes", "partly", "no"]
# Called with the number of verdicts so far, and of all.
Progress = Callable[[int, int], object]


class CorrectnessTask(Limits):
    """The question, its right answers, each of which is enough, the facts that all belong to one, and the answer."""

    question: str
    right: list[str]
    facts: list[str] = []
    answer: str


class Correctness(BaseModel):
    """The shape of the model's verdict."""

    reason: str
    says: Says


class CorrectnessVerdict(Model):
    """A verdict on whether an answer agrees with a right one; null is ungraded."""

    says: Says | None
    reason: str = ""
    judged_by: JudgedBy = "model"


class CorrectnessResult(StepResult):
    """The verdict and its cost."""

    verdict: CorrectnessVerdict


def grade_correctness(task: CorrectnessTask, grader: Grader) -> CorrectnessResult:
    """Return whether the answer agrees with a right one, and why."""
    reply = grader.grade(task.model_dump(include={"question", "right", "facts", "answer"}), Correctness)
    fields = reply.verdict.model_dump() if reply.verdict else {"says": None, "reason": f"the verdict was {reply.flaw}"}
    return CorrectnessResult(verdict=CorrectnessVerdict(**fields, judged_by=grader.judged_by), **reply.usage)


# The code of each grader's step, by its folder: its logic, its task and the function that judges.
STEPS: dict[str, tuple[str, type[Limits], Callable[[Any, Grader], StepResult]]] = {
    "decide_retrieval": (decide_retrieval.__name__, DecideRetrievalTask, decide_retrieval.decide),
    "grade_relevance": (grade_relevance.__name__, GradeRelevanceTask, grade_relevance.grade),
    SUPPORT: (grade_support.__name__, GradeSupportTask, grade_support.grade),
    "grade_utility": (grade_utility.__name__, GradeUtilityTask, grade_utility.grade),
    CORRECTNESS: (__name__, CorrectnessTask, grade_correctness),
}


class Case(NamedTuple):
    """A task for the grader whose step has this folder."""

    step: str
    fields: Mapping[str, object]


# Judges a case for so many dollars at most.
Grade = Callable[[Case, float | None], StepResult]


@dataclass(frozen=True)
class GraderOverrides:
    """Prompts, models and kinds of judges that replace those of the graders, by the folder of the step."""

    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    graders: Mapping[str, GraderKind] = field(default_factory=dict)

    @property
    def steps(self) -> set[str]:
        """Return the folders of the changed steps."""
        return {*self.prompts, *self.graders}


@contextmanager
def open_graders(overrides: GraderOverrides, recorded: Mapping[str, str]) -> Iterator[Grade]:
    """Yield the function that judges a case with these overrides; the home's verdict cache stores the verdicts.

    `recorded` are verdicts of traces, by their keys. Raises Misconfigured for settings, a service or a model that
    cannot be used.
    """
    check_services()
    # No sample documents are asked, so no web is needed.
    backends = choose_backends(DocumentSource("replay"))
    own = {**os.environ, **backends.environment}
    by_rule = backends.environment.get("SELFRAG_MODELS")
    models = {**(json.loads(by_rule) if by_rule else read(Settings).models), **overrides.models}
    kinds = {**json.loads(own.get(_KINDS) or "{}"), **overrides.graders}
    # A decision model is measured by its own verdicts, also where Claude would confirm them.
    unmeasured = dict.fromkeys(DECIDABLE, Thresholds().model_dump())
    thresholds = {**unmeasured, **json.loads(own.get(_THRESHOLDS) or "{}")}
    changed = {"SELFRAG_MODELS": models, _KINDS: kinds, _THRESHOLDS: thresholds}
    environment = {**backends.environment, **{name: json.dumps(value) for name, value in changed.items()}}
    stores = opened_stores(environment, backends.secrets, {**backends.parts, "prompts": overrides.prompts})
    with stores, bootstrap.using(verdicts=_RecordedVerdicts(recorded, questions.verdicts())):
        graders = {step: grader_factory(step) for step in STEPS}

        def grade(case: Case, budget_usd: float | None) -> StepResult:
            # An execution's own time and money are long gone.
            within = {"budget_usd": budget_usd, "collections": case.fields.get("collections", [])}
            limits, (_, kind, judge) = Limits.model_validate(within), STEPS[case.step]
            task = kind.model_validate({**case.fields, **limits.model_dump()}, extra="ignore")
            grader = graders[case.step](limits)
            decider = grader.decider if overrides.graders.get(case.step) == "decider" else None
            if decider and isinstance(task, GradeSupportTask):
                return grade_by_decider(task, AnswerEvidence(task.passages), decider)
            return judge(task, grader)

        yield grade


def grader_factory(step: str) -> Callable[[Limits], Grader]:
    """Return what makes the grader of a step inside `open_graders`."""
    module = STEPS[step][0]
    if step == CORRECTNESS:
        return questions.grader(SUPPORT, load_prompt(module, "correctness.md"), step)
    return questions.grader(step, load_prompt(module), module=module)


class _RecordedVerdicts:
    """The recorded verdicts, then a verdict cache, which stores the new ones."""

    def __init__(self, recorded: Mapping[str, str], behind: VerdictCache) -> None:
        self._recorded, self._behind = recorded, behind

    def get(self, key: str) -> str | None:
        return self._recorded.get(key) or self._behind.get(key)

    def put(self, key: str, verdict: str) -> None:
        self._behind.put(key, verdict)


def judge_cases(
    cases: Mapping[Name, Case], grade: Grade, parallel: int, max_cost: float | None, progress: Progress
) -> dict[Name, StepResult]:
    """Return the verdicts by the names of their cases, until all are judged or the next one cannot be paid.

    Raises TemporarilyUnavailable when several verdicts in a row fail; earlier verdicts stay cached.
    """
    names, results, failures = list(cases), dict[Name, StepResult](), 0
    budget = None if max_cost is None else RunBudget(max_cost, 0.0)
    with ThreadPoolExecutor(parallel) as threads:
        for start in range(0, len(names), parallel):
            batch = names[start : start + parallel]
            limits = [budget.hold(len(batch) - at) if budget else None for at in range(len(batch))]
            paid = {name: limit for name, limit in zip(batch, limits, strict=True) if limit or not budget}
            pending = {name: threads.submit(grade, cases[name], limit) for name, limit in paid.items()}
            for name, future in pending.items():
                with suppress(BudgetExceeded):
                    results[name] = future.result()
                result, limit = results.get(name), paid[name]
                if budget and limit:
                    budget.settle(limit, sum_costs([result]) if result else 0.0)
                failures = failures + 1 if result and result.error not in (None, BudgetExceeded.__name__) else 0
                if result and failures >= MAX_FAILURES:
                    sentence = f"{MAX_FAILURES} verdicts in a row could not be had; the last one: {result.cause}"
                    raise TemporarilyUnavailable(sentence)
            progress(len(results), len(cases))
            if any(name not in results for name in batch):
                break
    return results


def sum_costs(results: Collection[StepResult]) -> float | None:
    """Return the dollars of results; None if a price is unknown."""
    costs = [call.cost_usd for result in results for call in result.calls]
    return None if None in costs else sum(usd for usd in costs if usd is not None)


class JudgeReport(BaseModel):
    """The judge of all variants; `judged` of the answers have its verdict."""

    model: str
    judged_by: JudgedBy
    judged: int
    missing: int


def judge_answers(
    answers: Sequence[tuple[GoldQuestion, RunResult]],
    judge: str,
    parallel: int,
    max_cost: float | None,
    progress: Progress,
) -> tuple[JudgeReport, dict[str, Measured]]:
    """Return the report of a judge (a model, or DEFAULT_JUDGE), and its measures by the ids of answers.

    It judges every answer that was written from passages, and every one of which a right answer is known; an abstention
    or a direct answer claims nothing of passages. Raises what `open_graders` and `judge_cases` raise.
    """
    cases = {f"{case.step} {result.response.id}": case for gold, result in answers for case in _cases_of(gold, result)}
    # A named model judges support by itself, without a first grader.
    single = GraderOverrides(models={SUPPORT: judge, FIRST: judge}, graders={SUPPORT: "claude"})
    overrides = GraderOverrides() if judge == DEFAULT_JUDGE else single
    with open_graders(overrides, {}) as grade:
        model = bootstrap.question_settings().models[SUPPORT]
        results = judge_cases(cases, grade, parallel, max_cost, progress)
    verdicts = {name: result for name, result in results.items() if result.error is None}
    untraced = sum(_claims_anything(result.response) and result.written_from is None for _, result in answers)
    unsaid = sum(isinstance(result, CorrectnessResult) and result.verdict.says is None for result in verdicts.values())
    report = JudgeReport(
        model=model,
        judged_by=judged_by(model),
        judged=sum(name.startswith(SUPPORT) for name in verdicts),
        missing=untraced + len(cases) - len(verdicts) + unsaid,
    )
    return report, {
        result.response.id: {
            **_support(verdicts.get(f"{SUPPORT} {result.response.id}")),
            **_correctness(gold, result.response, verdicts.get(f"{CORRECTNESS} {result.response.id}")),
        }
        for gold, result in answers
    }


def _cases_of(gold: GoldQuestion, result: RunResult) -> Iterator[Case]:
    response, passages = result.response, result.written_from
    answer = response.answer.replace(f" {UNCITED}", "")
    if _claims_anything(response) and passages:
        shown = [passage.model_dump() for passage in passages]
        yield Case(SUPPORT, {"question": gold.question, "answer": answer, "passages": shown})
    if gold.answers and _verdict_by_rule(gold, response) is None:
        right = {"right": list(gold.answers), "facts": list(gold.facts)}
        yield Case(CORRECTNESS, {"question": gold.question, **right, "answer": answer})


def _claims_anything(response: AnswerResponse) -> bool:
    return response.status in ("answered", "partial") and response.answer not in WITHOUT_ANSWER


def _verdict_by_rule(gold: GoldQuestion, response: AnswerResponse) -> Says | None:
    """Return what needs no judge: to abstain is right if there is no answer, and wrong if there is one."""
    if gold.answerable is False:
        return "yes" if response.status == "abstained" else "no"
    return "no" if gold.answers and not _claims_anything(response) else None


def _support(result: StepResult | None) -> Measured:
    # Without a claim or a verdict there is nothing to score.
    if not isinstance(result, GradeSupportResult) or not result.verdict.claims:
        return {"supported": NOT_FOR_IT, "judged_claims": NOT_FOR_IT}
    claims = result.verdict.claims
    return {
        "supported": Share(result.verdict.level == "fully_supported"),
        "judged_claims": Share(sum(claim.support == "full" for claim in claims), len(claims)),
    }


def _correctness(gold: GoldQuestion, response: AnswerResponse, result: StepResult | None) -> Measured:
    by_model = result.verdict.says if isinstance(result, CorrectnessResult) else None
    says = _verdict_by_rule(gold, response) or by_model
    return {
        "correct": Share(says == "yes") if says else NOT_FOR_IT,
        "partly_correct": Share(says == "partly") if says else NOT_FOR_IT,
    }
