"""`selfrag replay`: recorded verdicts given again under other prompts or models, without search and without writing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from selfrag.domain.errors import InvalidInput
from selfrag.runtime.models import FIRST
from selfrag_cli.lab.judging import Case, Setting, Tell, budget_of, judged, judging
from selfrag_cli.lab.replay_report import Replay, identity
from selfrag_cli.lab.runs.variants import read_prompt, read_step
from selfrag_cli.lab.traces import GRADERS, Recorded, Trace


@dataclass(frozen=True)
class Changes(Setting):
    """The setting of a replay."""

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
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    recorded = {judged.key: judged.verdict for step in steps for judged in step.judged}
    with judging(changes, recorded) as judge:
        budget = None if max_cost is None else budget_of(max_cost, changes.steps or GRADERS.values())
        cases = {name: Case(GRADERS[step.name], step.given) for name, step in wanted.items()}
        return Replay(traces, wanted, judged(cases, judge, parallel, budget, tell))


def _to_judge(traces: Sequence[Trace], changed: Collection[str]) -> dict[str, Recorded]:
    """Return the steps to judge, each once; those that are changed, and cost something, come last.

    A verdict of an earlier release has no key, so it stands unless its step is changed.
    """
    steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
    wanted = [step for step in steps if step.judged or GRADERS[step.name] in changed]
    return {identity(step): step for step in sorted(wanted, key=lambda step: GRADERS[step.name] in changed)}
