"""A lane of an execution: consecutive states with their variables and history events."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

from selfrag_cli.local.runner.failures import (
    DATA_LIMIT_EXCEEDED,
    QUERY_EVALUATION_ERROR,
    RUNTIME,
    TIMEOUT,
    ExecutionStop,
    ExecutionTimeout,
    Failure,
    ItemAbort,
)
from selfrag_cli.local.runner.history import History
from selfrag_cli.local.runner.jsonata import QueryError, evaluate

# AWS quotas for state input and output, task arguments and results, and each Assign.
MAX_BYTES = 256 * 1024

# Takes a task's arguments and returns its result; raises Failure.
Service = Callable[[Any], Any]
Pause = Callable[[float], None]


@dataclass(frozen=True)
class ExecutionContext:
    """State shared by an execution's lanes; `ends_at` is a `time.monotonic` value.

    `stop` is done once the execution shall end.
    """

    context: Mapping[str, object]
    history: History
    services: Mapping[str, Service]
    pause: Pause
    ends_at: float = float("inf")
    stop: "Future[None]" = field(default_factory=Future)

    def seconds_left(self) -> float:
        """Return the seconds until the timeout; raises ExecutionTimeout or ExecutionStop."""
        if self.stop.done():
            raise ExecutionStop
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise ExecutionTimeout
        return left


@dataclass
class Lane:
    """The states of a machine or a Map item; `last` is the id of its latest event.

    `outer` names variables of the outer lane, which are read-only.
    """

    running: ExecutionContext
    variables: dict[str, object] = field(default_factory=dict)
    last: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    outer: frozenset[str] = frozenset()

    def open_inner(self, stopped: threading.Event) -> "Lane":
        """Return a lane for a Map item, whose assignments stay in it."""
        return Lane(self.running, dict(self.variables), self.last, stopped, frozenset(self.variables))

    def note(self, kind: str, **details: Any) -> None:
        """Add an event to the history."""
        self.last = self.running.history.add(kind, self.last, details)

    def assign(self, values: Mapping[str, object]) -> None:
        """Set variables; raises Failure for those of the outer lane."""
        if shadowed := self.outer & values.keys():
            raise Failure(RUNTIME, f"an item of a Map assigns {', '.join(sorted(shadowed))}, which is not its own")
        self.variables |= values

    def check(self) -> None:
        """Raise ItemAbort, ExecutionStop or ExecutionTimeout if no further state may begin."""
        if self.stopped.is_set():
            raise ItemAbort
        self.running.seconds_left()

    def pause(self, seconds: float) -> None:
        """Wait, limited by the execution's timeout."""
        self.running.pause(min(seconds, self.running.seconds_left()))
        self.check()

    def run_timed(self, work: Callable[[], Any], seconds: float | None) -> Any:
        """Run a task and return its result or raise its error; raises Failure on timeout.

        After a timeout, the thread continues and its result is lost, as with a Lambda. Raises ExecutionTimeout or
        ExecutionStop at the execution's end.
        """
        outcome: Future[Any] = Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=run, daemon=True, name="task").start()
        left = self.running.seconds_left()
        most = left if seconds is None else min(seconds, left)
        wait([outcome, self.running.stop], None if most == float("inf") else most, FIRST_COMPLETED)
        self.running.seconds_left()
        if outcome.done():
            return outcome.result()
        raise Failure(TIMEOUT, f"The task took longer than {seconds} s.", "TaskTimedOut")

    def value(self, template: Any, states: Mapping[str, object]) -> Any:
        """Evaluate the expressions in a JSON value; `states` becomes $states.

        Raises Failure where AWS fails with States.QueryEvaluationError.
        """
        if isinstance(template, str) and template.startswith("{%"):
            bindings = {**self.variables, "states": {**states, "context": self.running.context}}
            try:
                return evaluate(template[2:-2].strip(), bindings)
            except QueryError as error:
                raise Failure(QUERY_EVALUATION_ERROR, str(error), "EvaluationFailed") from error
        if isinstance(template, dict):
            return {name: self.value(item, states) for name, item in template.items()}
        if isinstance(template, list):
            return [self.value(item, states) for item in template]
        return template


def serialize(value: Any, what: str, event: str = "") -> str:
    """Serialize a value; raises Failure above AWS's size limit."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if 4 * len(text) > MAX_BYTES and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Failure(DATA_LIMIT_EXCEEDED, f"{what} is larger than 256 KiB", event)
    return text
