"""An evaluation's run: each question asked by each variant, many at a time, and every answer stored as it comes."""

import json
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import get_args
from uuid import uuid4

import typer

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest, Policy, read_request
from selfrag.domain.strategies import Strategy
from selfrag.judging.prompts import prompt_of
from selfrag.ports.model import Prompt
from selfrag.runtime.models import DEFAULT_MODELS, PROFILES
from selfrag_cli.deployment.remote import ask_remote, retry_after
from selfrag_cli.lab.gate import MAX_FAILURES, MIN_QUESTION_USD, RunBudget
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.records import Results, RunResult, Trace, VariantConfig, build_trace
from selfrag_cli.local.asking import open_executions
from selfrag_cli.local.backends import DEFAULT_SETUP, Setup, policy_fields
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.local.stores.histories import ExecutionHistory

# The pauses before a question without an answer is asked once more; a service may ask for a longer one.
PAUSES = (2.0, 10.0, 30.0)
# A service that asks for a longer pause is not asked again: a daily limit may end in hours.
MAX_PAUSE = 300.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_EXAMPLE = """--variant 'small={"top_k": 2}'"""

Pause = Callable[[float], object]
# Called with a description, the number of answers, and that of all.
Progress = Callable[[str, int, int], None]
# Called with a request, and a key that is the same when the same question is asked once more; returns the response,
# and its trace on this machine.
Ask = Callable[[AskRequest, str], tuple[AnswerResponse, Trace | None]]
# Opens what answers by a setup.
Connect = Callable[[Setup], AbstractContextManager[Ask]]


@dataclass(frozen=True)
class Variant:
    """A named policy; on this machine it may also have other models and prompts."""

    name: str
    policy: Policy
    setup: Setup = DEFAULT_SETUP

    @property
    def way(self) -> VariantConfig:
        """Return its identity."""
        return VariantConfig(
            policy=self.policy.model_dump(mode="json", exclude_defaults=True),
            profile=self.setup.profile,
            prompts={step: prompt.version for step, prompt in self.setup.prompts},
        )


def read_variants(texts: Sequence[str]) -> list[Variant]:
    """Return variants of a strategy, a profile, a policy as `NAME={...}`, or a prompt as `STEP=FILE`.

    Each differs from the default in nothing else. The default comes first if the others change only prompts, or if
    there are none. No variant reads the verdict cache unless its policy says `cache`: otherwise a later variant would
    seem cheap. Raises InvalidInput with one sentence.
    """
    variants = [_variant(text) for text in texts]
    if all(variant.setup.prompts for variant in variants):
        variants.insert(0, _variant("default={}"))
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"Two variants are called {name}: give each a name of its own.")
    return variants


def _variant(text: str) -> Variant:
    name, equals, value = text.partition("=")
    if name in get_args(Strategy) and not equals:
        equals, value = "=", json.dumps({"strategy": name})
    if name in PROFILES and not equals:
        return Variant(name, Policy(cache=False), Setup(profile=name))
    if not equals:
        raise InvalidInput(
            f"There is no strategy or profile {name!r}: strategies are {', '.join(get_args(Strategy))}, profiles are "
            f"{', '.join(PROFILES)}; a policy has a name: {_EXAMPLE}."
        )
    if not value.lstrip().startswith("{"):
        step, path, prompt = read_prompt(text, tuple(DEFAULT_MODELS))
        name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{step}.{path.stem}")[:40]
        return Variant(name, Policy(cache=False), Setup(prompts=((step, prompt),)))
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"A variant's name has letters, digits, dots and dashes: {_EXAMPLE}.")
    try:
        policy = read_request("?", value).policy
    except InvalidInput as error:
        raise InvalidInput(f"The variant {name}: {error}") from error
    return Variant(name, policy if "cache" in policy.model_fields_set else policy.model_copy(update={"cache": False}))


def read_prompt(text: str, steps: Collection[str]) -> tuple[str, Path, Prompt]:
    """Return the step, the file and the prompt of `STEP=FILE`; raises InvalidInput with one sentence."""
    step, _, name = text.partition("=")
    if not name:
        raise InvalidInput(f"{text!r} is not a step and a file, such as grade_support=stricter.md.")
    if step not in steps:
        raise InvalidInput(f"There is no step {step} to change; there are {', '.join(steps)}.")
    try:
        content = Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The prompt {name} cannot be read: {error}.") from error
    if not content.strip():
        raise InvalidInput(f"The prompt {name} is empty.")
    return step, Path(name), prompt_of(content)


@contextmanager
def connect_place(place: DocumentSource, setup: Setup) -> Iterator[Ask]:
    """Yield what answers from an up-to-date place with these prompts and models."""
    with open_executions(place, setup, keeps_histories=False) as (executions, _):

        def ask(request: AskRequest, key: str) -> tuple[AnswerResponse, Trace | None]:
            payload, question_id = request.execution_input([place.collection]), uuid4().hex
            payload["policy"] |= policy_fields(request, place)
            ended = executions.execute(question_id, payload)
            if ended.output is None:
                # It may have paid by then, so it is not asked again at once.
                raise SelfragError(f"The workflow gave no response: {ended.error}")
            trace = build_trace(ExecutionHistory(question_id, ended.history))
            return AnswerResponse.model_validate(ended.output), trace

        yield ask


def connect_endpoint(endpoint: str, api_key: str) -> Connect:
    """Return what asks a deployment: a question with the key of an earlier one is paid once, within a day."""

    def ask(request: AskRequest, key: str) -> tuple[AnswerResponse, Trace | None]:
        # Another release may answer there, whose responses have more fields.
        return AnswerResponse.model_validate(ask_remote(request, endpoint, api_key, key), extra="ignore"), None

    return lambda setup: nullcontext(ask)


@dataclass(frozen=True)
class QuestionTask:
    """A question to be asked by a variant."""

    question: GoldQuestion
    variant: Variant


def find_open_tasks(
    questions: Sequence[GoldQuestion], variants: Sequence[Variant], results: Results
) -> list[QuestionTask]:
    """Return the questions without a result, or with a failed one; each question by all variants before the next.

    So a stopped run has compared variants on the same questions. Each question has its own stable order of variants,
    so that no variant gains by coming first or last.
    """
    tasks = []
    for question in questions:
        for variant in sorted(variants, key=lambda variant: sha256(f"{question.id} {variant.name}".encode()).digest()):
            result = results.find(variant.name, question.id)
            if result is None or result.response.status == "failed":
                tasks.append(QuestionTask(question, variant))
    return tasks


@dataclass(frozen=True)
class EvaluationPlan:
    """The questions, the variants, the number of questions asked at a time, and the most dollars."""

    questions: Sequence[GoldQuestion]
    variants: Sequence[Variant]
    parallel: int
    max_cost: float | None

    def check_deployed(self) -> None:
        """Raise InvalidInput if a deployment cannot answer as the variants want."""
        if any(variant.setup != DEFAULT_SETUP for variant in self.variants):
            raise InvalidInput(
                "A deployment asks by its own prompts and models: variants by prompt and profile are for this machine. "
                "Deploy another one to compare it, with its own `profile`, or its own prompts."
            )


def ask_all(plan: EvaluationPlan, connect: Connect, results: Results, progress: Progress) -> int:
    """Ask all questions without a result, by one setup after another, and return the number of questions left.

    Raises InvalidInput for a limit that buys nothing, and errors that keep all questions from an answer; earlier
    answers are stored.
    """
    tasks = find_open_tasks(plan.questions, plan.variants, results)
    left, total = len(tasks), len(plan.questions) * len(plan.variants)
    spent = f"; {results.spent:.2f} dollars are spent" if results.spent else ""
    typer.echo(f"selfrag: {left} of {total} answers to get{spent}", err=True)
    budget = None
    if tasks and plan.max_cost is not None:
        budget = RunBudget(plan.max_cost, results.spent, results.costs(), MIN_QUESTION_USD)
        if plan.max_cost - results.spent < budget.required:
            raise InvalidInput(
                f"Of --max-cost {plan.max_cost:g}, {results.spent:.4f} dollars are spent; a question is only begun "
                f"with {budget.required:.4f} more, so that the limit cuts no answer short."
            )
    for setup in dict.fromkeys(task.variant.setup for task in tasks):
        own = [task for task in tasks if task.variant.setup == setup]
        with connect(setup) as ask:
            left += Run(own, ask, results, plan.parallel, budget, progress).run() - len(own)
    return left


class Run:
    """Asks `tasks`, `parallel` at a time; `budget` is what may be spent, None for no limit.

    A run that ends early, also by Ctrl-C, waits for pending questions and stores their answers.
    """

    def __init__(
        self,
        tasks: Sequence[QuestionTask],
        ask: Ask,
        results: Results,
        parallel: int,
        budget: RunBudget | None = None,
        progress: Progress = lambda description, done, total: None,
        pause: Pause | None = None,
    ) -> None:
        self._tasks, self._total = deque(tasks), len(tasks)
        self._ask, self._results, self._parallel = ask, results, parallel
        self._budget, self._progress = budget, progress
        self._ending = Event()
        self._pause = pause or self._ending.wait
        self._at_work: dict[Future[RunResult], float | None] = {}
        self._done = self._failures = 0
        self._error: SelfragError | None = None

    def run(self) -> int:
        """Ask all questions or until the budget is spent, and return the number of questions without an answer.

        Raises InvalidInput or Misconfigured when a question is refused so, and TemporarilyUnavailable when several in
        a row fail; earlier answers are stored.
        """
        with ThreadPoolExecutor(self._parallel) as threads:
            try:
                while self._begin(threads):
                    self._collect()
            except KeyboardInterrupt:
                self._ending.set()  # so that no retry pauses for long
                while self._at_work:
                    self._collect()
                raise
        if self._error:
            raise self._error
        return self._total - self._done

    def _begin(self, threads: ThreadPoolExecutor) -> bool:
        """Begin the tasks that can begin now, and return whether any is pending."""
        while not self._ending.is_set() and self._tasks and (slots := self._parallel - len(self._at_work)):
            task, limit = self._tasks[0], None
            policy, key = task.variant.policy, self._results.key(task.variant.name, task.question.id)
            if self._budget:
                limit = self._budget.hold(min(slots, len(self._tasks)), policy.max_cost_usd)
                if limit is None:
                    break
                # Another limit makes another request, which must not come with the same key.
                policy, key = policy.model_copy(update={"max_cost_usd": limit}), f"{key}.{limit:g}"
            self._tasks.popleft()
            request = AskRequest(question=task.question.question, policy=policy)
            self._at_work[threads.submit(self._answer, request, key, task)] = limit
        return bool(self._at_work)

    def _answer(self, request: AskRequest, key: str, task: QuestionTask) -> RunResult:
        """Ask with retries; the seconds are those of the last try."""
        pauses = iter(PAUSES)
        while True:
            began = time.perf_counter()
            try:
                response, trace = self._ask(request, key)
            except TemporarilyUnavailable as error:
                pause = next(pauses, None)
                if pause is None or self._ending.is_set() or retry_after(error) > MAX_PAUSE:
                    raise
                self._pause(max(pause, retry_after(error)))
            else:
                return RunResult(
                    variant=task.variant.name,
                    way=task.variant.way,
                    question_id=task.question.id,
                    question=task.question.question,
                    seconds=time.perf_counter() - began,
                    response=response,
                    trace=trace,
                )

    def _collect(self) -> None:
        """Store the results that have come; an error, and a failed response, may end the run."""
        for future in wait(self._at_work, return_when=FIRST_COMPLETED).done:
            limit, error = self._at_work.pop(future), future.exception()
            result = None if isinstance(error, Exception) else future.result()
            if result:
                self._results.add(result)
            if isinstance(error, InvalidInput | Misconfigured):
                self._refuse(error)
            elif result is None or result.response.status == "failed":
                self._failures += 1
                if self._failures >= MAX_FAILURES:
                    cause = result.response.answer if result else error
                    sentence = f"{MAX_FAILURES} questions in a row got no answer; the last one: {cause}"
                    self._refuse(TemporarilyUnavailable(sentence))
            else:
                self._failures, self._done = 0, self._done + 1
            if self._budget and limit is not None:
                self._budget.settle(limit, result.usd if result else None)
            self._progress(f"Asking, {self._results.spent:.2f} USD spent", self._done, self._total)

    def _refuse(self, error: SelfragError) -> None:
        self._error = self._error or error
        self._ending.set()
