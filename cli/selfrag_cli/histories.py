"""The history of a question's execution: its request, its response and its steps, by Step Functions' events."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from selfrag.domain.history import Step, epoch_seconds, steps_of
from selfrag.domain.questions import Policy


@dataclass(frozen=True)
class ExecutionHistory:
    """The events of an execution as GetExecutionHistory returns them, by the id of its question."""

    id: str
    events: list[dict[str, Any]]

    @cached_property
    def steps(self) -> list[Step]:
        """Return the tasks in the order in which they began."""
        return steps_of(self.events)

    @property
    def question(self) -> str:
        """Return the question."""
        return str(self._request.get("question", ""))

    @property
    def strategy(self) -> str:
        """Return the strategy of the question's policy, or the default."""
        policy = self._request.get("policy")
        return str(policy.get("strategy", Policy().strategy)) if isinstance(policy, dict) else Policy().strategy

    @property
    def response(self) -> dict[str, object]:
        """Return the response; empty where there is none."""
        return _details(self.events[-1], "executionSucceededEventDetails", "output")

    @property
    def status(self) -> str:
        """Return the response's status, or the event with which the execution ended without one."""
        return str(self.response.get("status", "")) or f"no response ({self.events[-1]['type']})"

    @property
    def seconds(self) -> float:
        """Return the seconds from the first event to the last."""
        return epoch_seconds(self.events[-1]) - epoch_seconds(self.events[0])

    @property
    def _request(self) -> dict[str, object]:
        return _details(self.events[0], "executionStartedEventDetails", "input")


def _details(event: dict[str, Any], name: str, part: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(event.get(name, {}).get(part, "{}"))
    return value
