"""Steps of an execution's history, with input, result and times."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

# The step that plans the others.
PLAN = "Plan"


@dataclass(frozen=True)
class Step:
    """A task of an execution; times are in seconds, with `started` relative to the execution's start.

    `error` is a failure's class name and `cause` its message, for the operator; both are empty on success. A step
    without a result has them in its reply, with its number of model requests. `turn` is that of its plan, 0 without
    one.
    """

    name: str
    started: float
    seconds: float
    attempts: int
    task: Any
    result: Any
    error: str
    cause: str = ""
    turn: int = 0


def steps_of(history: Sequence[dict[str, Any]]) -> list[Step]:
    """Return the tasks of a history in order of entry, including those in Map and Parallel."""
    begin = epoch_seconds(history[0]) if history else 0.0
    owners: dict[int, int] = {}
    events: dict[int, list[dict[str, Any]]] = {}
    for event in history:
        entered = event["type"].endswith("StateEntered")
        owner = event["id"] if entered else owners.get(event.get("previousEventId", 0), 0)
        owners[event["id"]] = owner
        events.setdefault(owner, []).append(event)
    tasks = [chain for chain in events.values() if chain[0]["type"] == "TaskStateEntered"]
    steps, turn = list[Step](), 0
    for step in (_step(chain, begin) for chain in tasks):
        turn = (plan_of(step) or {}).get("turn", turn)
        steps.append(replace(step, turn=turn))
    return steps


def plan_of(step: Step) -> dict[str, Any] | None:
    """Return a step's plan (reason, turn and steps); None for other steps and failed plans."""
    if step.name != PLAN or not isinstance(step.result, dict):
        return None
    plan = step.result.get("plan")
    return plan if isinstance(plan, dict) else None


def passages_by_claim(history: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the passage texts of the final check of each claim."""
    checks = [step for step in steps_of(history) if step.name == "GradeSupport" and isinstance(step.result, dict)]
    return {
        claim["claim"]: [passage["text"] for passage in step.task["passages"]]
        for step in checks
        for claim in (step.result.get("verdict") or {}).get("claims", [])
    }


def _step(chain: Sequence[dict[str, Any]], begin: float) -> Step:
    scheduled = [
        event["taskScheduledEventDetails"]["parameters"] for event in chain if event["type"] == "TaskScheduled"
    ]
    results = [event["taskSucceededEventDetails"]["output"] for event in chain if event["type"] == "TaskSucceeded"]
    failures = [event for event in chain if event["type"] in ("TaskFailed", "TaskTimedOut", "EvaluationFailed")]
    started = epoch_seconds(chain[0])
    result = _payload(results[-1]) if results else None
    reply = result if isinstance(result, dict) else {}
    error, cause = str(reply.get("error") or ""), str(reply.get("cause") or "")
    if failures and not results:
        error, cause = _failure(failures[-1])
    last = next((event for event in chain if event["type"] == "TaskStateExited"), chain[-1])
    return Step(
        name=chain[0]["stateEnteredEventDetails"]["name"],
        started=started - begin,
        seconds=epoch_seconds(last) - started,
        attempts=max(len(scheduled), reply.get("attempts", 0)),
        task=_payload(scheduled[-1]) if scheduled else None,
        result=result,
        error=error,
        cause=cause,
    )


def _payload(text: str) -> Any:
    value = json.loads(text)
    return value.get("Payload", value) if isinstance(value, dict) else value


def _failure(event: dict[str, Any]) -> tuple[str, str]:
    """Return the error's class name and message; a Lambda's cause is JSON with a stack trace."""
    details: dict[str, Any] = next((value for name, value in event.items() if name.endswith("EventDetails")), {})
    cause = str(details.get("cause") or "")
    try:
        failure = json.loads(cause)
    except ValueError:
        failure = None
    if isinstance(failure, dict):
        cause = str(failure.get("errorMessage") or "")
    return str(details.get("error", event["type"])), cause


def epoch_seconds(event: dict[str, Any]) -> float:
    """Return an event's time in seconds since the epoch; stored histories use ISO 8601."""
    moment = event["timestamp"]
    return (datetime.fromisoformat(moment) if isinstance(moment, str) else moment).timestamp()
