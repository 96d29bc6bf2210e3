"""In-process state machines and their executions."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import InvalidStateError
from contextlib import suppress
from typing import Any

from selfrag_cli.local.runner.asl import StateMachine
from selfrag_cli.local.runner.failures import RUNTIME, ExecutionStop, ExecutionTimeout, Failure
from selfrag_cli.local.runner.history import History
from selfrag_cli.local.runner.lane import ExecutionContext, Lane, Pause, Service, serialize
from selfrag_cli.local.runner.states import run_states

RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED = "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"


class Execution:
    """An execution with AWS's status and its result; `seconds` is its duration."""

    def __init__(self, name: str, running: ExecutionContext, on_end: Callable[["Execution"], None]) -> None:
        self.id = name
        self.status = RUNNING
        self.output: dict[str, Any] | None = None
        self.error = ""
        self.seconds = 0.0
        self._running, self._history, self._on_end = running, running.history, on_end

    @property
    def history(self) -> list[dict[str, Any]]:
        """Return the events so far."""
        return self._history.events

    def watch(self, seen: int, seconds: float) -> int | None:
        """Wait for more than `seen` events or the timeout and return their number; None after the last."""
        return self._history.wait(seen, seconds)

    def wait(self) -> "Execution":
        """Wait for the end."""
        self._history.wait_for_end()
        return self

    def stop(self) -> None:
        """Stop it: no other step begins, and the result of the current one is lost."""
        with suppress(InvalidStateError):
            self._running.stop.set_result(None)

    def run(self, definition: StateMachine, payload: Mapping[str, object]) -> None:
        """Run to the end; internal errors of the interpreter also end it as failed."""
        began, lane = time.monotonic(), Lane(self._running)
        status, details = FAILED, dict[str, str]()
        try:
            lane.note("ExecutionStarted", input=serialize(payload, "the input"))
            lane.last = 0
            output = run_states(definition, payload, lane)
            details = {"output": serialize(output, "the output")}
            self.output, status = output, SUCCEEDED
        except ExecutionTimeout:
            status = TIMED_OUT
        except ExecutionStop:
            status = ABORTED
        except Failure as failure:
            details = {"error": failure.error, "cause": failure.cause}
        except Exception as error:
            details = {"error": RUNTIME, "cause": f"{type(error).__name__}: {error}"}
        self.seconds = time.monotonic() - began
        if self.output is None:
            self.error = ": ".join(filter(None, (details.get("error", status), details.get("cause"))))
        lane.note(f"Execution{''.join(map(str.capitalize, status.split('_')))}", **details)
        self.status = status
        try:
            self._on_end(self)
        finally:
            self._history.end()


class Machine:
    """A definition with a service per task Resource; `pause` waits for seconds."""

    def __init__(
        self, arn: str, definition: StateMachine, services: Mapping[str, Service], pause: Pause = time.sleep
    ) -> None:
        self._arn, self._definition, self._services, self._pause = arn, definition, services, pause

    def start(
        self, name: str, payload: Mapping[str, object], on_end: Callable[[Execution], None] = lambda ended: None
    ) -> Execution:
        """Start an execution in a thread; `on_end` is called before waiting threads continue."""
        arn = f"{self._arn.replace(':stateMachine:', ':execution:')}:{name}"
        context = {"Execution": {"Id": arn, "Input": payload, "Name": name}}
        ends_at = time.monotonic() + self._definition.get("TimeoutSeconds", float("inf"))
        execution = Execution(name, ExecutionContext(context, History(), self._services, self._pause, ends_at), on_end)
        run, arguments = execution.run, (self._definition, payload)
        threading.Thread(target=run, args=arguments, daemon=True, name=f"execution {name}").start()
        return execution
