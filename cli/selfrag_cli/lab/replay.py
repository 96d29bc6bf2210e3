"""Recorded questions judged again under other prompts or judges, without searching and writing."""

from collections.abc import Collection, Mapping, Sequence

from pydantic import BaseModel, Field

from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.errors import InvalidInput
from selfrag.judging.graders import GraderKind
from selfrag.ports.model import Prompt
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders import KINDS
from selfrag_cli.lab.judge import (
    SUPPORT,
    UNGRADED,
    Case,
    GraderOverrides,
    Progress,
    judge_cases,
    open_graders,
    sum_costs,
)
from selfrag_cli.lab.records import GRADERS, RecordedStep, Trace
from selfrag_cli.lab.run import read_prompt


def read_overrides(texts: Sequence[str], judge: GraderKind | None = None) -> GraderOverrides:
    """Return the overrides of prompts (`STEP=FILE`), and of a kind of judge for all graders.

    Raises InvalidInput with one sentence.
    """
    steps, prompts = tuple(GRADERS.values()), dict[str, Prompt]()
    for text in texts:
        step, _, prompt = read_prompt(text, steps)
        if step in prompts:
            raise InvalidInput(f"{step} can be changed in one way at a time.")
        prompts[step] = prompt
    return GraderOverrides(prompts, graders=dict.fromkeys(steps, judge) if judge else {})


class Change(BaseModel):
    """A step's verdict in the trace, and now."""

    step: str
    before: str
    now: str


class ChangedQuestion(BaseModel):
    """A question with verdicts that differ."""

    id: str
    question: str
    verdicts: list[Change]


class StepReport(BaseModel):
    """The verdicts of a step: all, the same, the changed, and the dollars of those that were judged anew.

    Those that are `ungraded` in the trace or now are neither the same nor changed.
    """

    verdicts: int
    same: int
    changed: int
    ungraded: int
    judged: int
    calls: int
    usd: float | None
    missing: int


class ReplayReport(BaseModel):
    """The figures of a replay; `missing` verdicts failed, for want of a model or of money.

    `rates` are those of a gate: of questions with a verdict that differs, and of answers that are supported now. They
    count only verdicts that exist in the trace and now.
    """

    traces: int
    steps: dict[str, StepReport]
    missing: int
    changed: list[ChangedQuestion]
    rates: dict[str, float | None] = Field(exclude=True)

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Return the result of conditions on the rates."""
        return Gate(list(check_figures("replay", self.rates, conditions)), [row.question for row in self.changed])


def replay_traces(
    traces: Sequence[Trace], overrides: GraderOverrides, parallel: int, max_cost: float | None, progress: Progress
) -> ReplayReport:
    """Judge recorded questions again with overrides, without searching and writing; None for no limit of dollars.

    Raises the errors of `open_graders` and `judge_cases`; verdicts are cached.
    """
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    # A verdict without a key is kept unless its step is changed; those that cost something come last.
    to_judge = [step for step in steps if step.judged or GRADERS[step.name] in overrides.steps]
    to_judge.sort(key=lambda step: GRADERS[step.name] in overrides.steps)
    recorded = {_identity(step): step for step in to_judge}
    with open_graders(overrides, {verdict.key: verdict.verdict for step in steps for verdict in step.judged}) as grade:
        cases = {name: Case(GRADERS[step.name], step.task) for name, step in recorded.items()}
        results = judge_cases(cases, grade, parallel, max_cost, progress)
    return _replay_report(traces, cases, results)


def _replay_report(
    traces: Sequence[Trace], cases: Mapping[str, Case], results: Mapping[str, StepResult]
) -> ReplayReport:
    missing = {name for name in cases if name not in results or results[name].error is not None}
    changes = [[change for step in trace.steps if (change := _change(step, results, missing))] for trace in traces]
    graded = [[change for change in of_trace if UNGRADED not in (change.before, change.now)] for of_trace in changes]
    differing = [[change for change in of_trace if change.before != change.now] for of_trace in graded]
    changed = [
        ChangedQuestion(id=trace.id, question=trace.question, verdicts=verdicts)
        for trace, verdicts in zip(traces, differing, strict=True)
        if verdicts
    ]
    steps = {}
    for state, folder in GRADERS.items():
        of_step = [change for of_trace in changes for change in of_trace if change.step == folder]
        compared = [change for of_trace in graded for change in of_trace if change.step == folder]
        anew = [result for name, result in results.items() if cases[name].step == folder]
        same = sum(change.before == change.now for change in compared)
        steps[folder] = StepReport(
            verdicts=sum(step.name == state for trace in traces for step in trace.steps),
            same=same,
            changed=len(compared) - same,
            ungraded=len(of_step) - len(compared),
            judged=sum(bool(result.attempts or result.calls) for result in anew),
            calls=sum(len(result.calls) for result in anew),
            usd=sum_costs(anew),
            missing=sum(cases[name].step == folder for name in missing),
        )
    support = [change.now for of_trace in graded for change in of_trace if change.step == SUPPORT]
    rates = {
        "changed": len(changed) / sum(map(bool, graded)) if any(graded) else None,
        "supported": support.count("supported") / len(support) if support else None,
    }
    return ReplayReport(traces=len(traces), steps=steps, missing=len(missing), changed=changed, rates=rates)


def _change(step: RecordedStep, results: Mapping[str, StepResult], missing: Collection[str]) -> Change | None:
    """Return the level of a step's verdict as recorded and now; None if either is missing."""
    before, name = (step.result or {}).get("verdict"), _identity(step)
    if step.name not in GRADERS or before is None or name in missing:
        return None
    # A verdict that was not requested again is unchanged.
    now = results[name].model_dump(mode="json")["verdict"] if name in results else before
    folder = GRADERS[step.name]
    label = KINDS[folder].label
    return Change(step=folder, before=label(before), now=label(now))


def _identity(step: RecordedStep) -> str:
    """Return the same text for steps that judge the same: a question in two variants is judged once."""
    task = {name: value for name, value in step.task.items() if name not in Limits.model_fields}
    return RecordedStep(name=step.name, task=task, result=None).model_dump_json()
