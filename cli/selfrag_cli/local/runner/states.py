"""Execution of states by type, and their transitions.

A state exits by its own fields or those of the matching Choice or Catch, which define the assignments, output and next
state.
"""

import json
import random
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from selfrag_cli.local.runner.asl import AslState, Retrier, States, Transition
from selfrag_cli.local.runner.failures import NO_CHOICE_MATCHED, QUERY_EVALUATION_ERROR, Failure, ItemAbort
from selfrag_cli.local.runner.lane import Lane, serialize


def _backoff(retriers: Sequence[Retrier], failure: Failure, attempts: Counter[int]) -> float | None:
    """Return the seconds before the next attempt, by the first matching retrier and its attempts; None without one."""
    matches = (number for number, retrier in enumerate(retriers) if failure.is_among(retrier["ErrorEquals"]))
    number = next(matches, None)
    if number is None or attempts[number] >= retriers[number].get("MaxAttempts", 3):
        return None
    retrier = retriers[number]
    seconds = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** attempts[number]
    longest = min(seconds, retrier.get("MaxDelaySeconds", seconds))
    attempts[number] += 1
    return random.uniform(0, longest) if retrier.get("JitterStrategy") == "FULL" else longest  # noqa: S311


# An inline Map with MaxConcurrency 0 runs this many at a time.
MAX_AT_ONCE = 40


def _map_items(name: str, processor: States, items: Sequence[Any], at_once: int, lane: Lane) -> list[Any]:
    """Process all items and return their results in order.

    Raises the first failure; then no further items begin, and running ones end after their state.
    """
    lane.note("MapStateStarted", length=len(items))
    waiting, stopped = deque(enumerate(items)), threading.Event()
    results, failures, ends = dict[int, Any](), list[BaseException](), [lane.last]

    def work() -> None:
        # Other threads take items, too.
        with suppress(IndexError):
            while not stopped.is_set():
                process(*waiting.popleft())

    def process(number: int, item: Any) -> None:
        inner, named = lane.open_inner(stopped), {"name": name, "index": number}
        inner.note("MapIterationStarted", **named)
        try:
            results[number] = run_states(processor, item, inner)
        except ItemAbort:
            inner.note("MapIterationAborted", **named)
        except BaseException as error:
            inner.note("MapIterationFailed", **named)
            failures.append(error)
            stopped.set()
        else:
            inner.note("MapIterationSucceeded", **named)
        ends.append(inner.last)

    most = min(at_once or MAX_AT_ONCE, len(items))
    threads = [threading.Thread(target=work, daemon=True, name=name) for _ in range(most)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lane.last = max(ends)
    if failures:
        if isinstance(failures[0], Failure):
            failures[0].event = "MapStateFailed"
        raise failures[0]
    lane.note("MapStateSucceeded")
    return [results[number] for number in range(len(items))]


@dataclass(frozen=True)
class Exit:
    """A state's exit: its fields, the default output, and additions to $states."""

    fields: Transition
    output: Any
    states: Mapping[str, object] = field(default_factory=dict)


def run_states(part: States, data: Any, lane: Lane) -> Any:
    """Run states from first to last and return the final output."""
    name: str | None = part["StartAt"]
    while name is not None:
        lane.check()
        data, name = run_state(name, part["States"][name], data, lane)
    return data


def run_state(name: str, state: AslState, data: Any, lane: Lane) -> tuple[Any, str | None]:
    """Run a state; return its output and the next one's name."""
    lane.note(f"{state['Type']}StateEntered", name=name, input=serialize(data, f"the input of {name}"))
    attempts = Counter[int]()
    while True:
        try:
            left = _DO[state["Type"]](name, state, data, lane)
            return _leave(name, state, left, data, lane)
        except Failure as failure:
            if failure.event:
                lane.note(failure.event, **_details(failure, state))
            seconds = _backoff(state.get("Retry", ()), failure, attempts)
            if seconds is None:
                return _leave(name, state, _find_catcher(state, failure), data, lane)
        lane.pause(seconds)


def _leave(name: str, state: AslState, left: Exit, data: Any, lane: Lane) -> tuple[Any, str | None]:
    # Assignments take effect on exit: Output sees the old values.
    states = {"input": data, **left.states}
    values = lane.value(left.fields.get("Assign", {}), states)
    serialize(values, "an Assign")
    output = lane.value(left.fields["Output"], states) if "Output" in left.fields else left.output
    text = serialize(output, f"the output of {name}")
    lane.assign(values)
    lane.note(f"{state['Type']}StateExited", name=name, output=text)
    return output, left.fields.get("Next")


def _find_catcher(state: AslState, failure: Failure) -> Exit:
    for catcher in state.get("Catch", ()):
        if failure.is_among(catcher["ErrorEquals"]):
            error_output = {"Error": failure.error, "Cause": failure.cause}
            return Exit(catcher, error_output, {"errorOutput": error_output})
    # The state's failure is already in the history; the outer lane adds its own.
    raise Failure(failure.error, failure.cause)


def _details(failure: Failure, state: AslState) -> dict[str, str]:
    if failure.event.startswith("MapState"):
        return {}
    details = {"error": failure.error, "cause": failure.cause}
    return {**_resource(state), **details} if failure.event.startswith("Task") else details


def _pass(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    return Exit(state, data)


def _choice(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    for choice in state["Choices"]:
        holds = lane.value(choice["Condition"], {"input": data})
        if not isinstance(holds, bool):
            raise Failure(QUERY_EVALUATION_ERROR, f"a Condition of {name} is no boolean", "EvaluationFailed")
        if holds:
            return Exit(choice, data)
    if "Default" not in state:
        raise Failure(NO_CHOICE_MATCHED, f"no Choice of {name} holds")
    default: AslState = {**state, "Next": state["Default"]}
    return Exit(default, data)


def _wait(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    lane.pause(lane.value(state["Seconds"], {"input": data}))
    return Exit(state, data)


def _fail(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    error, cause = (lane.value(state.get(part, ""), {"input": data}) for part in ("Error", "Cause"))
    raise Failure(error, cause)


def _task(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    states, resource = {"input": data}, _resource(state)
    seconds = lane.value(state.get("TimeoutSeconds"), states)
    parameters = serialize(lane.value(state["Arguments"], states), f"what {name} is given")
    timeout = {} if seconds is None else {"timeoutInSeconds": seconds}
    lane.note("TaskScheduled", **resource, parameters=parameters, **timeout)
    lane.note("TaskStarted", **resource)
    service = lane.running.services[state["Resource"]]
    # A copy, so that the task cannot modify variables.
    result = lane.run_timed(lambda: service(json.loads(parameters)), seconds)
    lane.note("TaskSucceeded", **resource, output=serialize(result, f"the result of {name}", "TaskFailed"))
    return Exit(state, result, {"result": result})


def _map(name: str, state: AslState, data: Any, lane: Lane) -> Exit:
    items = lane.value(state["Items"], {"input": data})
    if not isinstance(items, list):
        raise Failure(QUERY_EVALUATION_ERROR, f"Items of {name} is no array", "EvaluationFailed")
    at_once = lane.value(state.get("MaxConcurrency", 0), {"input": data})
    result = _map_items(name, state["ItemProcessor"], items, at_once, lane)
    return Exit(state, result, {"result": result})


def _resource(state: AslState) -> dict[str, str]:
    """Return the history's description of a task's resource."""
    kind, action = state["Resource"].split(":")[-2:]
    return {"resourceType": kind, "resource": action}


_DO: dict[str, Callable[[str, AslState, Any, Lane], Exit]] = {
    "Pass": _pass,
    "Choice": _choice,
    "Wait": _wait,
    "Succeed": _pass,
    "Fail": _fail,
    "Task": _task,
    "Map": _map,
}
