"""Replay: recorded questions judged again under another prompt, model or judge, without searching and writing."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import RelevanceVerdict, SupportVerdict, UtilityVerdict
from selfrag.judging.graders import GraderKind
from selfrag.runtime.models import FIRST
from selfrag_cli.lab.gate import Condition, Gate, check_figures
from selfrag_cli.lab.graders.rows import UNGRADED
from selfrag_cli.lab.judging import Case, Progress, Setting, budget_of, cost, judged, judging
from selfrag_cli.lab.runs.variants import read_prompt, read_step
from selfrag_cli.lab.traces import GRADERS, RecordedStep, Trace

LEVELS: dict[str, Callable[[Any], str]] = {
    "GradeRelevance": lambda verdict: RelevanceVerdict.model_validate(verdict, extra="ignore").label,
    "GradeSupport": lambda verdict: SupportVerdict.model_validate(verdict, extra="ignore").level or UNGRADED,
    "GradeUtility": lambda verdict: str(UtilityVerdict.model_validate(verdict, extra="ignore").score or UNGRADED),
}


@dataclass(frozen=True)
class Changes(Setting):
    """The prompts, the models and the kinds of judges of a replay."""

    @classmethod
    def of(cls, prompts: Sequence[str], models: Sequence[str], judge: GraderKind | None = None) -> "Changes":
        """Read `STEP=FILE` and `STEP=MODEL`; raises InvalidInput with one sentence."""
        by_prompt = [read_prompt(text, tuple(GRADERS.values())) for text in prompts]
        expected = "a step and a model: --model grade_support=claude-opus-5-5"
        by_model = [read_step(text, (*GRADERS.values(), FIRST), expected) for text in models]
        for steps in ([step for step, _, _ in by_prompt], [step for step, _ in by_model]):
            for step in steps:
                if steps.count(step) > 1:
                    raise InvalidInput(f"{step} can be changed in one way at a time.")
        kinds = dict.fromkeys(GRADERS.values(), judge) if judge else {}
        return cls({step: prompt for step, _, prompt in by_prompt}, dict(by_model), kinds)

    @property
    def steps(self) -> set[str]:
        """Return the folders of the changed steps."""
        return {*self.prompts, *self.graders, *("grade_support" if step == FIRST else step for step in self.models)}


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
    """The figures of a replay; `missing` verdicts failed, for want of a model or of money."""

    traces: int
    steps: dict[str, StepReport]
    missing: int
    changed: list[ChangedQuestion]


@dataclass(frozen=True)
class Replay:
    """Traces, their steps that were to be judged, and the results of these, by their identities."""

    traces: Sequence[Trace]
    cases: Mapping[str, RecordedStep]
    results: Mapping[str, StepResult]

    def report(self) -> ReplayReport:
        """Return the figures of each step, and the questions with a verdict that differs."""
        changed = []
        for trace in self.traces:
            levels = self._graded(trace.steps)
            if differing := [level for level in levels if level.before != level.now]:
                changed.append(ChangedQuestion(id=trace.id, question=trace.question, verdicts=differing))
        steps = {folder: self._step(state) for state, folder in GRADERS.items()}
        missing = sum(step.missing for step in steps.values())
        return ReplayReport(traces=len(self.traces), steps=steps, missing=missing, changed=changed)

    def gate(self, conditions: Sequence[Condition]) -> Gate:
        """Check the share of questions with a verdict that differs, and of answers that are supported now.

        Both are of what has a verdict in the trace and now.
        """
        changed = [row.question for row in self.report().changed]
        graded = sum(bool(self._graded(trace.steps)) for trace in self.traces)
        support = [step for trace in self.traces for step in trace.steps if step.name == "GradeSupport"]
        levels = [level.now for level in self._graded(support)]
        figures = {
            "changed": len(changed) / graded if graded else None,
            "supported": levels.count("fully_supported") / len(levels) if levels else None,
        }
        return Gate(list(check_figures("replay", figures, conditions)), changed)

    def _step(self, state: str) -> StepReport:
        recorded = [step for trace in self.traces for step in trace.steps if step.name == state]
        levels, graded = list(filter(None, map(self._level, recorded))), self._graded(recorded)
        names = [name for name, step in self.cases.items() if step.name == state]
        results = [self.results[name] for name in names if name in self.results]
        same = sum(level.before == level.now for level in graded)
        return StepReport(
            verdicts=len(recorded),
            same=same,
            changed=len(graded) - same,
            ungraded=len(levels) - len(graded),
            judged=sum(bool(result.attempts or result.calls) for result in results),
            calls=sum(len(result.calls) for result in results),
            usd=cost(results),
            missing=sum(self._lacks(name) for name in names),
        )

    def _lacks(self, name: str) -> bool:
        result = self.results.get(name)
        return name in self.cases and (result is None or result.error is not None)

    def _graded(self, steps: Sequence[RecordedStep]) -> list[Change]:
        levels = filter(None, map(self._level, steps))
        return [level for level in levels if UNGRADED not in (level.before, level.now)]

    def _level(self, step: RecordedStep) -> Change | None:
        """Return the level of a step's verdict as recorded and now; None where either is missing."""
        before, name = (step.result or {}).get("verdict"), identity(step)
        if step.name not in GRADERS or before is None or self._lacks(name):
            return None
        result = self.results.get(name)
        # A verdict that was not requested again stands.
        now = before if result is None else result.model_dump(mode="json")["verdict"]
        level = LEVELS[step.name]
        return Change(step=GRADERS[step.name], before=level(before), now=level(now))


def replayed(
    traces: Sequence[Trace], changes: Changes, parallel: int, max_cost: float | None, progress: Progress
) -> Replay:
    """Judge traces again, for so many dollars at most, None for no limit.

    Raises Misconfigured for a service or a model that cannot be or a limit without prices, InvalidInput for a limit
    that buys nothing, and TemporarilyUnavailable when several verdicts in a row fail; what was judged stays cached.
    """
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    recorded = _to_judge(steps, changes.steps)
    verdicts = {verdict.key: verdict.verdict for step in steps for verdict in step.judged}
    with judging(changes, verdicts) as grade:
        budget = None if max_cost is None else budget_of(max_cost, changes.steps or GRADERS.values())
        cases = {name: Case(GRADERS[step.name], step.task) for name, step in recorded.items()}
        return Replay(traces, recorded, judged(cases, grade, parallel, budget, progress))


def _to_judge(steps: Sequence[RecordedStep], changed: Collection[str]) -> dict[str, RecordedStep]:
    """Return the steps to judge, each once; those that are changed, and cost something, come last.

    A verdict without a key stands unless its step is changed.
    """
    selected = [step for step in steps if step.judged or GRADERS[step.name] in changed]
    return {identity(step): step for step in sorted(selected, key=lambda step: GRADERS[step.name] in changed)}


def identity(step: RecordedStep) -> str:
    """Return the same text for steps that judge the same: a question in two variants is judged once."""
    task = {name: value for name, value in step.task.items() if name not in Limits.model_fields}
    return RecordedStep(name=step.name, task=task, result=None).model_dump_json()
