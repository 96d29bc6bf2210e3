"""Executions of questions in this process; answers and histories are in the home."""

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
from selfrag_cli.local.runner.tasks import item_of, values_of
from selfrag_cli.local.stores.histories import ExecutionHistory, delete_history, keep_history, last_history
from selfrag_cli.local.stores.tables import ANSWERS, Items

# Maximum parallel questions: by rule two cores answer them within a third of a question's 25 seconds; six parallel
# model requests take about all of it.
MAX_QUESTIONS = 16

OnEnd = Callable[[Execution], None]
OnBegin = Callable[[Callable[[], None]], None]


class LocalExecutions(Executions):
    """Starts and inspects questions; histories are stored at the end.

    Without `keeps_histories`, only running ones have a history. `on_end` gets each ended execution.
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
        """Count a request that starts a question; raises TemporarilyUnavailable above the limit."""
        with self._lock:
            # A request may already be running as a question: the sum would count it twice.
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
        """Run a question to its end and return its execution; `on_begin` gets a function that stops it."""
        execution = self._begun(question_id, payload)
        on_begin(execution.stop)
        return execution.wait()

    @override
    def answer(self, question_id: str, payload: Mapping[str, object]) -> dict[str, Any] | None:
        """Run a question and return its response; raises TemporarilyUnavailable without one."""
        ended = self._begun(question_id, payload, by_caller=True).wait()
        if ended.output is None:
            raise TemporarilyUnavailable(f"The execution of question {question_id} gave no response: {ended.error}")
        return ended.output

    @override
    def start(self, question_id: str, payload: Mapping[str, object]) -> None:
        self._begun(question_id, payload, by_caller=True)

    def stop(self, question_id: str) -> None:
        """Stop a running question, like StopExecution."""
        if execution := self._at_work.get(question_id):
            execution.stop()

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        """Wait for more than `seen` events or the timeout and return their number.

        None if the question is not running here or its events have ended.
        """
        execution = self._at_work.get(question_id)
        return execution.watch(seen, seconds) if execution else None

    @override
    def expect(self, question_id: str, payload: Mapping[str, Any], due: float) -> None:
        fields = {"id": question_id, **{name: payload[name] for name in ("question", "collections", "request")}}
        item = item_of({**fields, "due_at": int(due), "expires_at": int(due) + KEPT_SECONDS})
        self._items.change(ANSWERS, question_id, lambda stored: None if stored else item)

    @override
    def read_stored(self, question_id: str) -> StoredQuestion | None:
        item = self._items.get(ANSWERS, question_id)
        if item is None:
            return None
        values = values_of(item)
        response = json.loads(values["response"]) if "response" in values else None
        texts = (values.get(name, "") for name in ("question", "previous", "request"))
        return StoredQuestion(response, float(values.get("due_at", 0)), tuple(values["collections"]), *texts)

    @override
    def delete(self, question_id: str) -> Sequence[str]:
        delete_history(question_id)
        self._items.delete(ANSWERS, question_id)
        return ["A follow-up keeps the turns before it until it is deleted, too."]

    @override
    def snapshot(self, question_id: str) -> Snapshot | None:
        """Return the state of a question's execution; None if neither running nor recent."""
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
            execution = self._machine.start(question_id, payload, self._finish)
            self._at_work[question_id] = execution
        return execution

    def _finish(self, execution: Execution) -> None:
        try:
            if self._keeps_histories:
                keep_history(ExecutionHistory(execution.id, execution.history))
        except SelfragError as error:  # the answer is stored regardless
            logger.warning("a history could not be kept", extra={"error": str(error)})
        finally:
            with self._lock:
                del self._at_work[execution.id]
            self._on_end(execution)

    def _stored_history(self, question_id: str) -> ExecutionHistory | None:
        return last_history(question_id) if question_id and self._keeps_histories else None


def _check_capacity(count: int) -> None:
    if count >= MAX_QUESTIONS:
        raise TemporarilyUnavailable(f"{MAX_QUESTIONS} questions are at work; none begins before one of them ends.")
