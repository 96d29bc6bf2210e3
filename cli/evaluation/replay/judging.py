"""Judges what a trace holds as the graders' Lambdas would, with other prompts or models; what was said stands."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

from cli.evaluation.replay.traces import GRADERS, Recorded, Trace
from cli.local.aws.kept import kept_tables
from cli.local.backends import check_services, chosen_backends
from cli.local.place import Place
from question.grade_relevance import logic as grade_relevance
from question.grade_support import logic as grade_support
from question.grade_utility import logic as grade_utility
from selfrag import bootstrap
from selfrag.domain.calls import Limits, StepResult
from selfrag.ports.cache import Remembering
from selfrag.ports.grading import Grader
from selfrag.ports.model import Claude, Judgement, Source, V, Writing
from selfrag.ports.prompts import Prompt, load_prompt
from selfrag.runtime.settings import Settings, read

LOGICS: dict[str, ModuleType] = {
    "GradeRelevance": grade_relevance,
    "GradeSupport": grade_support,
    "GradeUtility": grade_utility,
}


class Said:
    """What the model has said by now, by the keys of the verdict cache: in the traces, and since."""

    failed = False

    def __init__(self, traces: Iterable[Trace]) -> None:
        steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
        self._kept = {judged.key: judged.verdict for step in steps for judged in step.judged}

    def get(self, key: str) -> str | None:
        """The verdict's JSON text, or None."""
        return self._kept.get(key)

    def put(self, key: str, verdict: str) -> None:
        """Keep a verdict's JSON text as long as the replay lasts."""
        self._kept[key] = verdict


class Judges:
    """The graders by their states, each with what was said in front of it; made by `judging`."""

    def __init__(self, said: Said) -> None:
        prompts = {state: load_prompt(str(logic.__file__)) for state, logic in LOGICS.items()}
        self._said = said
        self._graders = {state: bootstrap.grader(GRADERS[state], prompt) for state, prompt in prompts.items()}

    def judge(self, step: Recorded, budget_usd: float | None = None) -> StepResult:
        """Judge a recorded state's input anew, for so many dollars at most; raises selfrag's typed errors."""
        limits = Limits(budget_usd=budget_usd)
        return _graded(step, limits, _over(self._graders[step.name](limits), self._remembering))

    def is_new(self, step: Recorded) -> bool:
        """Whether the traces do not hold all that the model would say of a recorded state's input."""
        limits, asked = Limits(), list[str]()
        grader = self._graders[step.name](limits)
        _graded(step, limits, _over(grader, lambda claude: self._remembering(_Silent(claude, asked))))
        return bool(asked)

    def _remembering(self, claude: Claude) -> Claude:
        return Remembering(claude, self._said)


class _Silent:
    """A model that says nothing, and notes by which step it is asked."""

    def __init__(self, claude: Claude, asked: list[str]) -> None:
        self.model_of, self._asked = claude.model_of, asked

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        self._asked.append(step)
        return Judgement(None, "unavailable", call=None, attempts=0)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        raise NotImplementedError("a grader writes nothing")


def _graded(step: Recorded, limits: Limits, grader: Grader) -> StepResult:
    logic = LOGICS[step.name]
    # The execution's own time and money are long gone.
    task = logic.Task.model_validate({**step.given, **limits.model_dump()}, extra="ignore")
    result: StepResult = logic.grade(task, grader)
    return result


def _over(grader: Grader, put: Callable[[Claude], Claude]) -> Grader:
    """The grader with something put in front of the model, and of the first judge's."""
    return replace(grader, claude=put(grader.claude), first=_over(grader.first, put) if grader.first else None)


@contextmanager
def judging(said: Said, prompts: Mapping[str, Prompt], models: Mapping[str, str]) -> Iterator[Judges]:
    """Judges with these prompts and models, by folder, in place of the steps' own.

    What they say is kept in the home directory's verdict cache, so that nothing is paid twice. Raises Misconfigured
    for settings, a service or a model that cannot be.
    """
    # It takes a second to load, which what is refused before does not need.
    from cli.local.aws.stack import running_stack

    check_services()
    chosen: dict[str, Any] = {**read(Settings).models, **models}
    # No sample documents are asked, so no web is needed.
    with chosen_backends(Place("replay")) as backends:
        environment = {**backends.environment, "SELFRAG_MODELS": json.dumps(chosen)}
        stack = running_stack(environment, backends.secrets, parts={"prompts": prompts}, handlers={})
        with stack, kept_tables():
            yield Judges(said)
