"""Asks each question by each variant, many at a time, and stores every answer as it comes."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from threading import Event

from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import retry_after
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.runs.asking import Ask
from selfrag_cli.lab.runs.costs import RunBudget
from selfrag_cli.lab.runs.results import Results, RunResult
from selfrag_cli.lab.runs.variants import Variant

# The pauses before a question without an answer is asked once more; a service may ask for a longer one.
PAUSES = (2.0, 10.0, 30.0)
# A service that asks for a longer pause is not asked again: a daily limit may end in hours.
LONGEST_PAUSE = 300.0
# After so many failures in a row a run gives up.
MOST_IN_A_ROW = 5

Pause = Callable[[float], object]
# Called with the number of answers so far, of all, and the dollars spent.
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class QuestionTask:
    """A question to be asked by a variant."""

    question: GoldQuestion
    variant: Variant


def tasks_left(questions: Sequence[GoldQuestion], variants: Sequence[Variant], results: Results) -> list[QuestionTask]:
    """Return what has no result yet, or one that failed; a question by all variants before the next one.

    So a run that is stopped has compared what it has asked. Each question has its own order of variants, the same each
    time, so that none gains by coming first or last.
    """
    tasks = []
    for question in questions:
        for variant in sorted(variants, key=lambda variant: _digest(f"{question.id} {variant.name}")):
            result = results.find(variant.name, question.id)
            if result is None or result.response.status == "failed":
                tasks.append(QuestionTask(question, variant))
    return tasks


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


class Run:
    """Asks `tasks`, `parallel` at a time; `budget` is what may be spent, None for no limit.

    A run that ends early waits for the questions at work and stores their answers.
    """

    def __init__(
        self,
        tasks: Sequence[QuestionTask],
        ask: Ask,
        results: Results,
        parallel: int,
        budget: RunBudget | None = None,
        progress: Progress = lambda done, total, usd: None,
        pause: Pause | None = None,
    ) -> None:
        self._tasks, self._total = list(tasks), len(tasks)
        self._unfinished = {(task.variant.name, task.question.id) for task in tasks}
        self._ask, self._results, self._parallel = ask, results, parallel
        self._budget, self._progress = budget, progress
        self._ending = Event()
        self._pause = pause or self._ending.wait
        self._at_work: dict[Future[RunResult], tuple[QuestionTask, float | None]] = {}
        self._done = self._failures = 0
        self._error: SelfragError | None = None

    def run(self) -> int:
        """Ask all questions or until the budget is spent, and return the number of questions without an answer.

        Raises InvalidInput or Misconfigured when a question is refused so, and TemporarilyUnavailable when several in
        a row fail; what was answered until then is stored.
        """
        with ThreadPoolExecutor(self._parallel) as threads:
            try:
                while self._begin(threads):
                    self._collect()
            finally:
                self.end()  # so that no retry pauses for long
        if self._error:
            raise self._error
        return self._total - self._done

    def end(self) -> None:
        """Begin nothing more; any thread and a signal handler may call this."""
        self._ending.set()

    def _begin(self, threads: ThreadPoolExecutor) -> bool:
        """Begin what can begin now, and return whether anything is at work."""
        while not self._ending.is_set() and (slots := self._parallel - len(self._at_work)):
            task, limit = self._first(), None
            if task is None:
                break
            policy = task.variant.policy
            if self._budget:
                limit = self._budget.hold(min(slots, len(self._tasks)), policy.max_cost_usd)
                if limit is None:
                    break
                policy = policy.model_copy(update={"max_cost_usd": limit})
            self._tasks.remove(task)
            request = AskRequest(question=task.question.question, policy=policy, previous=self._previous(task))
            key = self._results.key(task.variant.name, task.question.id)
            # Another limit makes another request, which must not come with the same key.
            key = key if limit is None else f"{key}.{limit:g}"
            self._at_work[threads.submit(self._answer, request, key, task)] = task, limit
        return bool(self._at_work)

    def _first(self) -> QuestionTask | None:
        """Return the first task that can begin; a follow-up waits for the answer before it, or is dropped with it."""
        for task in list(self._tasks):
            if not task.question.after or self._previous(task):
                return task
            if (task.variant.name, task.question.after) not in self._unfinished:
                self._tasks.remove(task)
                self._unfinished.discard((task.variant.name, task.question.id))
        return None

    def _previous(self, task: QuestionTask) -> str:
        """Return the id of the same variant's answer to the earlier question; "" where there is none."""
        earlier = self._results.find(task.variant.name, task.question.after or "")
        return earlier.response.id if earlier and earlier.response.status != "failed" else ""

    def _answer(self, request: AskRequest, key: str, task: QuestionTask) -> RunResult:
        """Ask with retries; the seconds are those of the try that brought the response."""
        for pause in (*PAUSES, None):
            began = time.perf_counter()
            try:
                response = self._ask(request, key)
            except TemporarilyUnavailable as error:
                if pause is None or self._ending.is_set() or retry_after(error) > LONGEST_PAUSE:
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
                )
        raise AssertionError

    def _collect(self) -> None:
        for future in wait(self._at_work, return_when=FIRST_COMPLETED).done:
            task, limit = self._at_work.pop(future)
            self._unfinished.discard((task.variant.name, task.question.id))
            result = self._result(future)
            if result:
                self._results.add(result)
            if self._budget and limit is not None:
                self._budget.settle(limit, result.usd if result else None)
            self._progress(self._done, self._total, self._results.spent)

    def _result(self, future: Future[RunResult]) -> RunResult | None:
        self._failures += 1
        try:
            result = future.result()
        except (InvalidInput, Misconfigured) as error:
            self._refuse(error)
        except Exception as error:
            self._end_after_many(str(error))
        else:
            if result.response.status == "failed":
                self._end_after_many(result.response.answer)
            else:
                self._failures, self._done = 0, self._done + 1
            return result
        return None

    def _end_after_many(self, cause: str) -> None:
        if self._failures >= MOST_IN_A_ROW:
            sentence = f"{MOST_IN_A_ROW} questions in a row got no answer; the last one: {cause}"
            self._refuse(TemporarilyUnavailable(sentence))

    def _refuse(self, error: SelfragError) -> None:
        self._error = self._error or error
        self.end()


@contextmanager
def ended_by_signals(run: Run) -> Iterator[Event]:
    """Let the first Ctrl-C or SIGTERM end the run in order, which sets the event; the next one ends the process."""
    is_ended = Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(number: int, frame: object) -> None:
        is_ended.set()
        run.end()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, end)
    try:
        yield is_ended
    finally:
        restore()
