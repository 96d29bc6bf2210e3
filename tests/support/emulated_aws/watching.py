"""Executions of moto's as they go on: watchers are woken by its events, and ask for none in vain."""

import threading
from collections.abc import Callable
from typing import Any

from moto.stepfunctions.parser.models import stepfunctions_parser_backends

# Woken by each event of each execution, and by each one's end.
SOME_HAPPENED = threading.Condition()


def telling(do: Callable[..., Any]) -> Callable[..., Any]:
    """Add an event to a history, or end an execution, and wake those who watch."""

    def do_and_tell(self: Any, *arguments: Any, **named: Any) -> Any:
        done = do(self, *arguments, **named)
        with SOME_HAPPENED:
            SOME_HAPPENED.notify_all()
        return done

    return do_and_tell


def watch(name: str, seen: int, seconds: float) -> int | None:
    """How many events the execution of this name has had, as soon as they are more than `seen` or the time is up.

    None when there is no such execution in this process, or it has ended and had no more.
    """
    execution = _named(name)
    if execution is None:
        return None
    with SOME_HAPPENED:
        SOME_HAPPENED.wait_for(lambda: _events(execution) > seen or execution.status != "RUNNING", seconds)
    events = _events(execution)
    return events if events > seen or execution.status == "RUNNING" else None


def _named(name: str) -> Any:
    backends = [backend for regions in stepfunctions_parser_backends.values() for backend in regions.values()]
    executions = [one for backend in backends for machine in backend.state_machines for one in machine.executions]
    return next((one for one in executions if one.name == name), None)


def _events(execution: Any) -> int:
    """Return the number of events so far, without a copy of them."""
    environment = execution.exec_worker.env if execution.exec_worker else None
    return len(environment.event_manager._history_event_list) if environment else 0
