"""The served API's executions: in worker processes, one for a core, whose tables are this process's, too.

Which process runs a question is nobody's concern but this module's. One that dies takes its questions along, which
end as failed, and another takes its place.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from cli.local.serving.process import Gone, Make, Remote
from selfrag.bootstrap import api
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.executions import Executions, Known, Snapshot
from selfrag.runtime.observability import logger

# Of so many questions that have ended the worker is remembered, which may still have their traces.
REMEMBERED = 1000


class Workers:
    """Runs questions in processes, each with the object that `make` makes of the arguments; `tables` knows answers."""

    def __init__(self, tables: Executions, count: int, make: Make, *arguments: Any) -> None:
        self._tables, self._make, self._arguments = tables, make, arguments
        self._lock = threading.RLock()
        self._ran: OrderedDict[str, Remote] = OrderedDict()
        self._threads: set[threading.Thread] = set()
        self._ended = False
        self._workers = [self._begin() for _ in range(count)]

    def wait_until_made(self) -> None:
        """Return when all processes can take questions; raises what keeps one from that."""
        for worker in self._workers:
            try:
                worker.wait_until_made()
            except Gone:
                raise TemporarilyUnavailable("A process that was to answer questions ended as it began.") from None

    def end(self) -> None:
        """End the processes."""
        with self._lock:
            self._ended = True
        for worker in self._workers:
            worker.end()
        for thread in list(self._threads):
            thread.join()

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question to its end; raises TemporarilyUnavailable if its process dies meanwhile."""
        try:
            found: dict[str, Any] | None = self._begun(question_id, payload).result()
        except Gone:
            raise TemporarilyUnavailable(f"The process that answered question {question_id} has ended.") from None
        return found

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question; one whose process dies is overdue from then on."""
        begun = self._begun(question_id, payload)
        thread = threading.Thread(target=self._follow, args=(begun, question_id), daemon=True)
        self._threads.add(thread)
        thread.start()

    def expect(self, question_id: str, collections: Sequence[str], due: float) -> None:
        """Keep that a question of these collections is at work until `due`, unless its response is kept already."""
        self._tables.expect(question_id, collections, due)

    def known(self, question_id: str, collections: Collection[str]) -> Known | None:
        """What is kept of a question; None when there is none of the caller's."""
        return self._tables.known(question_id, collections)

    def snapshot(self, question_id: str) -> Snapshot | None:
        """The execution of a question; None when it is none of the last, or its process is gone."""
        found: Snapshot | None = self._asked(question_id, "snapshot", None)
        return found

    def history(self, question_id: str) -> list[dict[str, Any]]:
        """The events of the execution of a question so far; [] as `snapshot` gives None."""
        found: list[dict[str, Any]] = self._asked(question_id, "history", [])
        return found

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        """How many events a question's execution has had, as soon as more than `seen`; None if it is not at work."""
        found: int | None = self._asked(question_id, "watch", None, seen, seconds)
        return found

    def _begun(self, question_id: str, payload: dict[str, Any]) -> "Future[Any]":
        while True:
            # One that is found gone is replaced with the next look for one.
            with suppress(Gone):
                return self._worker_for(question_id).begin("answer", question_id, payload)

    def _follow(self, begun: "Future[Any]", question_id: str) -> None:
        try:
            begun.result()
        except Gone:
            if not self._ended:
                _overdue(question_id)
        except Exception as error:  # what has failed is looked at, as with Step Functions, and told to nobody
            logger.warning("a question failed", extra={"error": type(error).__name__})
        finally:
            self._threads.discard(threading.current_thread())

    def _asked(self, question_id: str, method: str, nothing: Any, *more: Any) -> Any:
        worker = self._ran.get(question_id)
        with suppress(Gone):
            return worker.call(method, question_id, *more) if worker else nothing
        return nothing

    def _worker_for(self, question_id: str) -> Remote:
        with self._lock:
            self._replace_gone()
            if not self._workers:
                raise TemporarilyUnavailable("No process is left that answers questions; start the server again.")
            worker = min(self._workers, key=lambda one: one.at_work)
            self._ran[question_id] = worker
            while len(self._ran) > REMEMBERED:
                self._ran.popitem(last=False)
            return worker

    def _begin(self) -> Remote:
        return Remote(self._make, *self._arguments, on_end=self._replace_gone)

    def _replace_gone(self) -> None:
        with self._lock:
            gone = [worker for worker in self._workers if worker.has_ended]
            if gone and not self._ended:
                # One that never came so far as to be asked would only be followed by another such.
                others = [self._begin() for worker in gone if worker.was_made]
                self._workers = [worker for worker in self._workers if worker not in gone] + others


def _overdue(question_id: str) -> None:
    """Let a question that nobody works on any more be overdue, unless its response is kept."""
    with suppress(ClientError):
        api.requests_client().update_item(
            TableName=api.settings().answers_table,
            Key={"id": {"S": question_id}},
            UpdateExpression="SET due_at = :now",
            ConditionExpression="attribute_exists(id) AND attribute_not_exists(#response)",
            ExpressionAttributeNames={"#response": "response"},
            ExpressionAttributeValues={":now": {"N": str(int(time.time()))}},
        )
