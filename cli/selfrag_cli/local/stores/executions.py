"""Executions of questions in this process, with the answers and the histories in the home."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from selfrag.domain.answers import KEPT_SECONDS
from selfrag.domain.errors import SelfragError, TemporarilyUnavailable
from selfrag.ports.executions import Executions, Snapshot, StoredQuestion
from selfrag.runtime.observability import logger
from selfrag_cli.local.runner.machine import SUCCEEDED, Execution, Machine
from selfrag_cli.local.runner.tasks import Item, item_of, values_of
from selfrag_cli.local.stores.histories import ExecutionHistory, delete_history, keep_history, last_history
from selfrag_cli.local.stores.tables import ANSWERS, Items

# The questions of callers at a time: by rule two cores answer them within a third of a question's 25 seconds, and six
# requests to models at a time about as many within all of it.
MAX_QUESTIONS = 16

OnEnd = Callable[[Execution], None]
OnBegin = Callable[[Callable[[], None]], None]


class LocalExecutions(Executions):
    """Starts questions on a machine and looks at them; each execution's history is kept when it has ended.

    Without `keeps_histories` only those that are at work have one. `on_end` is called with each that has ended.
    """

    def __init__(
        self, machine: Machine, items: Items, keeps_histories: bool = True, on_end: OnEnd = lambda execution: None
    ) -> None:
        self._machine, self._items, self._keeps_histories, self._on_end = machine, items, keeps_histories, on_end
        self._at_work: dict[str, Execution] = {}
        self._requests = 0
        self._lock = threading.Lock()

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Count a caller's request that starts a question; raises TemporarilyUnavailable if too many are at work."""
        with self._lock:
            # A request may have begun its question: the sum would count it twice.
            _check_capacity(max(self._requests, len(self._at_work)))
            self._requests += 1
        try:
            yield
        finally:
            with self._lock:
                self._requests -= 1

    def execute(
        self, question_id: str, payload: Mapping[str, object], on_begin: OnBegin = lambda stop: None
    ) -> Execution:
        """Run a question to its end, and return its execution; `on_begin` gets what ends it before."""
        execution = self._begun(question_id, payload)
        on_begin(execution.stop)
        return execution.wait()

    @override
    def answer(self, question_id: str, payload: Mapping[str, object]) -> dict[str, Any] | None:
        """Run a question to its end, and return its response; raises TemporarilyUnavailable if there is none."""
        ended = self._begun(question_id, payload, by_caller=True).wait()
        if ended.output is None:
            raise TemporarilyUnavailable(f"The execution of question {question_id} gave no response: {ended.error}")
        return ended.output

    @override
    def start(self, question_id: str, payload: Mapping[str, object]) -> None:
        self._begun(question_id, payload, by_caller=True)

    def stop(self, question_id: str) -> None:
        """End a question that is at work here, as StopExecution does."""
        if execution := self._at_work.get(question_id):
            execution.stop()

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        """Return the number of a question's events as soon as it is more than `seen`, or the time is up.

        None if the question is not at work here, or has ended and had no more.
        """
        execution = self._at_work.get(question_id)
        return execution.watch(seen, seconds) if execution else None

    @override
    def expect(self, question_id: str, payload: Mapping[str, Any], due: float) -> None:
        fields = {"id": question_id, **{name: payload[name] for name in ("question", "collections", "request")}}
        item = item_of({**fields, "due_at": int(due), "expires_at": int(due) + KEPT_SECONDS})
        self._items.change(ANSWERS, question_id, lambda stored: None if stored else item)

    @override
    def stored(self, question_id: str) -> StoredQuestion | None:
        item = self._items.get(ANSWERS, question_id)
        return stored_question(item) if item else None

    @override
    def delete(self, question_id: str) -> Sequence[str]:
        delete_history(question_id)
        self._items.delete(ANSWERS, question_id)
        return ["A follow-up keeps the turns before it until it is deleted, too."]

    @override
    def snapshot(self, question_id: str) -> Snapshot | None:
        """Return how a question's execution stands; None if it is neither at work nor among the last."""
        execution = self._at_work.get(question_id)
        if execution:
            return Snapshot(execution.status, execution.output)
        history = self._stored_history(question_id)
        if history is None:
            return None
        return Snapshot(SUCCEEDED, history.response) if history.response else Snapshot("FAILED", None)

    @override
    def history(self, question_id: str) -> list[dict[str, Any]]:
        execution = self._at_work.get(question_id)
        if execution:
            return execution.history
        history = self._stored_history(question_id)
        return history.events if history else []

    def _begun(self, question_id: str, payload: Mapping[str, object], by_caller: bool = False) -> Execution:
        with self._lock:
            if by_caller:
                _check_capacity(len(self._at_work))
            execution = self._machine.start(question_id, payload, self._ended)
            self._at_work[question_id] = execution
        return execution

    def _ended(self, execution: Execution) -> None:
        self._on_end(execution)
        try:
            if self._keeps_histories:
                keep_history(ExecutionHistory(execution.id, execution.history))
        except SelfragError as error:  # the answer is there all the same
            logger.warning("a history could not be kept", extra={"error": str(error)})
        finally:
            with self._lock:
                del self._at_work[execution.id]

    def _stored_history(self, question_id: str) -> ExecutionHistory | None:
        return last_history(question_id) if question_id and self._keeps_histories else None


def _check_capacity(count: int) -> None:
    if count >= MAX_QUESTIONS:
        raise TemporarilyUnavailable(f"{MAX_QUESTIONS} questions are at work; none begins before one of them ends.")


def stored_question(item: Item) -> StoredQuestion:
    """Return what an item of the table of answers says."""
    values = values_of(item)
    response = json.loads(values["response"]) if "response" in values else None
    due, texts = float(values.get("due_at", 0)), (values.get(name, "") for name in ("question", "previous", "request"))
    return StoredQuestion(response, due, tuple(values["collections"]), *texts)
