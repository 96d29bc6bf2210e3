"""An execution's history as steps: what each was given, what it gave back, and how long it took."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Step:
    """One task of an execution; times are in seconds, `started` counted from the execution's start."""

    name: str
    started: float
    seconds: float
    attempts: int
    given: Any
    result: Any
    error: str


def steps_of(history: Sequence[dict[str, Any]]) -> list[Step]:
    """The tasks of a history in the order in which they were entered, those inside Map and Parallel included."""
    begin = _seconds(history[0]) if history else 0.0
    owners: dict[int, int] = {}
    events: dict[int, list[dict[str, Any]]] = {}
    for event in history:
        entered = event["type"].endswith("StateEntered")
        owner = event["id"] if entered else owners.get(event.get("previousEventId", 0), 0)
        owners[event["id"]] = owner
        events.setdefault(owner, []).append(event)
    tasks = [chain for chain in events.values() if chain[0]["type"] == "TaskStateEntered"]
    return [_step(chain, begin) for chain in tasks]


def _step(chain: Sequence[dict[str, Any]], begin: float) -> Step:
    scheduled = [
        event["taskScheduledEventDetails"]["parameters"] for event in chain if event["type"] == "TaskScheduled"
    ]
    results = [event["taskSucceededEventDetails"]["output"] for event in chain if event["type"] == "TaskSucceeded"]
    failures = [event for event in chain if event["type"] in ("TaskFailed", "TaskTimedOut", "EvaluationFailed")]
    started = _seconds(chain[0])
    last = next((event for event in chain if event["type"] == "TaskStateExited"), chain[-1])
    return Step(
        name=chain[0]["stateEnteredEventDetails"]["name"],
        started=started - begin,
        seconds=_seconds(last) - started,
        attempts=len(scheduled),
        given=_payload(scheduled[-1]) if scheduled else None,
        result=_payload(results[-1]) if results else None,
        error=_error(failures[-1]) if failures and not results else "",
    )


def _payload(text: str) -> Any:
    value = json.loads(text)
    return value.get("Payload", value) if isinstance(value, dict) else value


def _error(event: dict[str, Any]) -> str:
    details: dict[str, Any] = next((value for name, value in event.items() if name.endswith("EventDetails")), {})
    return str(details.get("error", event["type"]))


def _seconds(event: dict[str, Any]) -> float:
    moment = event["timestamp"]
    return (datetime.fromisoformat(moment) if isinstance(moment, str) else moment).timestamp()
