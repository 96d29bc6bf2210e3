"""Executions of questions: starting one, waiting for it, and looking how far it is."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Snapshot:
    """An execution of the Standard machine as it is now: its status in AWS's words, its output, its history."""

    status: str
    output: dict[str, Any] | None
    history: list[dict[str, Any]]


class Executions(Protocol):
    """Starts questions and looks at them; raises selfrag's typed errors."""

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None when the connection did not last that long."""

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question on the Standard machine."""

    def remembered(self, question_id: str, collections: Collection[str]) -> dict[str, Any] | None:
        """The response of a finished question, whichever machine ran; None when there is none of the caller's."""

    def snapshot(self, question_id: str, collections: Collection[str]) -> Snapshot | None:
        """How far the Standard machine is with a question; None when it knows no such question of the caller's."""
