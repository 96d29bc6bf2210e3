"""Judges what a trace holds as the graders' Lambdas would, with other prompts or models; what was said stands."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from cli.lab.replay.traces import GRADERS, Recorded, Trace
from cli.local.backends import check_services, chosen_backends
from cli.local.place import Place
from cli.local.stack import opened_stores
from question.grade_relevance import logic as grade_relevance
from question.grade_support import logic as grade_support
from question.grade_utility import logic as grade_utility
from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits, StepResult
from selfrag.ports.cache import VerdictCache
from selfrag.ports.prompts import Prompt, load_prompt
from selfrag.runtime.settings import Settings, read

LOGICS: dict[str, ModuleType] = {
    "GradeRelevance": grade_relevance,
    "GradeSupport": grade_support,
    "GradeUtility": grade_utility,
}


class Traced:
    """The verdict cache of a replay: the verdicts of the traces, then another cache, which keeps the new ones."""

    def __init__(self, traces: Iterable[Trace], behind: VerdictCache) -> None:
        steps = [step for trace in traces for step in trace.steps if step.name in GRADERS]
        self._said = {judged.key: judged.verdict for step in steps for judged in step.judged}
        self._behind = behind

    def get(self, key: str) -> str | None:
        """The verdict's JSON text, or None."""
        return self._said.get(key) or self._behind.get(key)

    def put(self, key: str, verdict: str) -> None:
        """Keep a verdict's JSON text."""
        self._behind.put(key, verdict)


class Judges:
    """The graders by their states; made by `judging`."""

    def __init__(self) -> None:
        prompts = {state: load_prompt(str(logic.__file__)) for state, logic in LOGICS.items()}
        self._graders = {state: questions.grader(GRADERS[state], prompt) for state, prompt in prompts.items()}

    def judge(self, step: Recorded, budget_usd: float | None = None) -> StepResult:
        """Judge a recorded state's input anew, for so many dollars at most; raises selfrag's typed errors."""
        # The execution's own time and money are long gone.
        limits, logic = Limits(budget_usd=budget_usd), LOGICS[step.name]
        task = logic.Task.model_validate({**step.given, **limits.model_dump()}, extra="ignore")
        result: StepResult = logic.grade(task, self._graders[step.name](limits))
        return result


@contextmanager
def judging(traces: Iterable[Trace], prompts: Mapping[str, Prompt], models: Mapping[str, str]) -> Iterator[Judges]:
    """Judges with these prompts and models, by folder, in place of the steps' own.

    What they say is kept in the home directory's verdict cache, so that nothing is paid twice. Raises Misconfigured
    for settings, a service or a model that cannot be.
    """
    check_services()
    chosen: dict[str, Any] = {**read(Settings).models, **models}
    # No sample documents are asked, so no web is needed.
    with chosen_backends(Place("replay")) as backends:
        environment = {**backends.environment, "SELFRAG_MODELS": json.dumps(chosen)}
        stores = opened_stores(environment, backends.secrets, {**backends.parts, "prompts": prompts})
        with stores, bootstrap.using(verdicts=Traced(traces, questions.verdicts())):
            yield Judges()
