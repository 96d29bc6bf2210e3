"""Asks each question by each variant, many at a time, and keeps every answer as it comes."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import Any

from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag_cli.lab.runs.asking import Ask
from selfrag_cli.lab.runs.budget import MOST_IN_A_ROW, Budget
from selfrag_cli.lab.runs.results import Result, Results
from selfrag_cli.lab.runs.tasks import Task, Waiting, result_of
from selfrag_cli.lab.runs.variants import Variant

# So long is waited before a question that got no answer is asked once more.
PAUSES = (2.0, 10.0, 30.0)

Pause = Callable[[float], object]
# Called with how many questions of how many have a result, and the dollars spent.
Tell = Callable[[int, int, float], None]


class Run:
    """Asks `tasks`, so many at a time; `budget` is what may be spent, None for no limit.

    What is at work when the run ends early is waited for and kept.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        ask: Ask,
        results: Results,
        parallel: int,
        budget: Budget | None = None,
        tell: Tell = lambda done, total, usd: None,
        pause: Pause | None = None,
    ) -> None:
        self._waiting, self._total = Waiting(tasks, results), len(tasks)
        self._ask, self._results, self._parallel = ask, results, parallel
        self._budget, self._tell = budget, tell
        self._ending = Event()
        self._pause = pause or self._ending.wait
        self._at_work: dict[Future[tuple[dict[str, Any], float]], tuple[Task, float | None]] = {}
        self._done = self._in_a_row = 0
        self._error: SelfragError | None = None

    def run(self) -> int:
        """Ask until all is asked or no money is left; gives how many questions have no answer.

        Raises InvalidInput or Misconfigured when a question is refused so, and TemporarilyUnavailable when several in
        a row fail; what was answered until then is kept.
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
        """Begin nothing any more; may be called by any thread, or when a signal comes."""
        self._ending.set()

    def _begin(self, threads: ThreadPoolExecutor) -> bool:
        """Begin what can begin now; whether anything is at work."""
        while not self._ending.is_set() and (slots := self._parallel - len(self._at_work)):
            task, limit = self._waiting.first(), None
            if task is None:
                break
            policy = task.variant.policy
            if self._budget:
                limit = self._budget.hold(min(slots, len(self._waiting)), policy.max_cost_usd)
                if limit is None:
                    break
                policy = policy.model_copy(update={"max_cost_usd": limit})
            self._waiting.take(task)
            previous = self._waiting.previous(task)
            request = AskRequest(question=task.question.question, policy=policy, previous=previous)
            key = self._results.key(task.variant.name, task.question.id)
            # A limit that is another than before makes another request, which must not come with the same key.
            key = key if limit is None else f"{key}.{limit:g}"
            self._at_work[threads.submit(self._patiently, request, key, task.variant)] = task, limit
        return bool(self._at_work)

    def _patiently(self, request: AskRequest, key: str, variant: Variant) -> tuple[dict[str, Any], float]:
        """Ask with retries; return the response and the seconds of the try that brought it."""
        for pause in (*PAUSES, None):
            began = time.perf_counter()
            try:
                return self._ask(request, key, variant), time.perf_counter() - began
            except TemporarilyUnavailable:
                if pause is None or self._ending.is_set():
                    raise
                self._pause(pause)
        raise AssertionError

    def _collect(self) -> None:
        for future in wait(self._at_work, return_when=FIRST_COMPLETED).done:
            task, limit = self._at_work.pop(future)
            self._waiting.ended(task)
            result = self._result(task, future)
            if result:
                self._results.add(result)
            if self._budget and limit is not None:
                self._budget.settle(limit, result.usd if result else None)
            self._tell(self._done, self._total, self._results.spent)

    def _result(self, task: Task, future: "Future[tuple[dict[str, Any], float]]") -> Result | None:
        self._in_a_row += 1
        try:
            response, seconds = future.result()
        except (InvalidInput, Misconfigured) as error:
            self._refuse(error)
        except Exception as error:
            self._end_after_many(str(error))
        else:
            result = result_of(task, response, seconds)
            if result.failed:
                self._end_after_many(str(response.get("answer", "")))
            else:
                self._in_a_row, self._done = 0, self._done + 1
            return result
        return None

    def _end_after_many(self, told: str) -> None:
        if self._in_a_row >= MOST_IN_A_ROW:
            sentence = f"{MOST_IN_A_ROW} questions in a row got no answer; the last one: {told}"
            self._refuse(TemporarilyUnavailable(sentence))

    def _refuse(self, error: SelfragError) -> None:
        self._error = self._error or error
        self.end()


@contextmanager
def ended_by_signals(run: Run) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the run in order; the next one ends the process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(number: int, frame: object) -> None:
        run.end()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        restore()
