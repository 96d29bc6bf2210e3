"""An execution's history as steps: what each was given, what it gave back, and how long it took."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# The events by which an execution ends.
ENDS = ("ExecutionSucceeded", "ExecutionFailed", "ExecutionTimedOut", "ExecutionAborted")
# The states that take time; where one begins that stands inside of no other, a turn does.
_TURNS = ("TaskStateEntered", "ParallelStateEntered", "MapStateEntered")
# How the name of a state ends that is a step of its own elsewhere, and here is taken beside another one.
_BESIDE = "Beside"
# The details of an event that name a state.
_NAMING = ("stateEntered", "stateExited", "mapIterationStarted")


@dataclass(frozen=True)
class Step:
    """One task of an execution; times are in seconds, `started` counted from the execution's start.

    `error` is the class name of a failure, `cause` its sentence, for the operator; both are empty without one. A step
    that brought nothing tells them in its result, and how often it asked the model. `within` are the Maps and
    Parallels around it, the outermost first; tasks with the same `turn` ran in the same pass of that one.
    """

    name: str
    started: float
    seconds: float
    attempts: int
    given: Any
    result: Any
    error: str
    cause: str = ""
    turn: int = 0
    within: tuple[str, ...] = ()


def steps_of(history: Sequence[dict[str, Any]]) -> list[Step]:
    """The tasks of a history in the order in which they were entered, those inside Map and Parallel included."""
    begin = epoch_seconds(history[0]) if history else 0.0
    owners: dict[int, int] = {}
    events: dict[int, list[dict[str, Any]]] = {}
    places: dict[int, tuple[int, tuple[str, ...]]] = {}
    turn = 0
    for event, within in zip(history, _around(history), strict=True):
        entered = event["type"].endswith("StateEntered")
        turn += not within and event["type"] in _TURNS
        owner = event["id"] if entered else owners.get(event.get("previousEventId", 0), 0)
        owners[event["id"]], places[event["id"]] = owner, (turn, within)
        events.setdefault(owner, []).append(event)
    tasks = [chain for chain in events.values() if chain[0]["type"] == "TaskStateEntered"]
    return [_step(chain, begin, *places[chain[0]["id"]]) for chain in tasks]


def _around(history: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Of each event the Maps and Parallels around it, the outermost first. No two states have the same name."""
    after: dict[int, tuple[str, ...]] = {}
    entered: dict[str, tuple[str, ...]] = {}
    names: dict[int, str] = {}
    for event in history:
        number, before = event["id"], event.get("previousEventId", 0)
        kind, within = event["type"], after.get(before, ())
        name = next((event[f"{at}EventDetails"]["name"] for at in _NAMING if f"{at}EventDetails" in event), "")
        if kind.endswith("StateExited"):
            within = entered.get(name, within)
        yield within
        if kind.endswith("StateEntered"):
            entered[name] = within
        elif kind == "ParallelStateStarted":
            name = names.get(before, "")
            within = (*within, name)
        elif kind == "MapIterationStarted":
            within = (*entered.get(name, within), name)
        after[number], names[number] = within, name


def _step(chain: Sequence[dict[str, Any]], begin: float, turn: int, within: tuple[str, ...]) -> Step:
    scheduled = [
        event["taskScheduledEventDetails"]["parameters"] for event in chain if event["type"] == "TaskScheduled"
    ]
    results = [event["taskSucceededEventDetails"]["output"] for event in chain if event["type"] == "TaskSucceeded"]
    failures = [event for event in chain if event["type"] in ("TaskFailed", "TaskTimedOut", "EvaluationFailed")]
    started = epoch_seconds(chain[0])
    result = _payload(results[-1]) if results else None
    told = result if isinstance(result, dict) else {}
    error, cause = str(told.get("error") or ""), str(told.get("cause") or "")
    if failures and not results:
        error, cause = _failure(failures[-1])
    last = next((event for event in chain if event["type"] == "TaskStateExited"), chain[-1])
    return Step(
        name=chain[0]["stateEnteredEventDetails"]["name"].removesuffix(_BESIDE),
        started=started - begin,
        seconds=epoch_seconds(last) - started,
        attempts=max(len(scheduled), told.get("attempts", 0)),
        given=_payload(scheduled[-1]) if scheduled else None,
        result=result,
        error=error,
        cause=cause,
        turn=turn,
        within=within,
    )


def _payload(text: str) -> Any:
    value = json.loads(text)
    return value.get("Payload", value) if isinstance(value, dict) else value


def _failure(event: dict[str, Any]) -> tuple[str, str]:
    """The error's class name, and what it says: a Lambda's cause is JSON with its message and a stack trace."""
    details: dict[str, Any] = next((value for name, value in event.items() if name.endswith("EventDetails")), {})
    cause = str(details.get("cause") or "")
    try:
        told = json.loads(cause)
    except ValueError:
        told = None
    if isinstance(told, dict):
        cause = str(told.get("errorMessage") or "")
    return str(details.get("error", event["type"])), cause


def epoch_seconds(event: dict[str, Any]) -> float:
    """When an event of a history happened, in seconds since the epoch; what was kept as JSON has it in ISO 8601."""
    moment = event["timestamp"]
    return (datetime.fromisoformat(moment) if isinstance(moment, str) else moment).timestamp()
