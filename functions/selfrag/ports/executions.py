"""Executions of questions: starting one, waiting for it, and looking how far it is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Known:
    """What is kept of a question: its response, None before it has one, and by when (epoch seconds) it should have.

    With a response there are also its text, and the id of the question that it followed. `collections` are those that
    it was asked under.
    """

    response: dict[str, Any] | None
    due: float
    collections: tuple[str, ...] = ()
    question: str = ""
    previous: str = ""


@dataclass(frozen=True)
class Snapshot:
    """An execution of the Standard machine as it was of late: its status in AWS's words, and its output."""

    status: str
    output: dict[str, Any] | None


class Executions(Protocol):
    """Starts questions and looks at them; raises selfrag's typed errors."""

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None when the connection did not last that long."""

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question on the Standard machine."""

    def expect(self, question_id: str, collections: Sequence[str], due: float) -> None:
        """Keep that a question of these collections is at work until `due`, unless its response is kept already."""

    def known(self, question_id: str, collections: Collection[str]) -> Known | None:
        """What is kept of a question, whichever machine ran; None when there is none of the caller's."""

    def snapshot(self, question_id: str) -> Snapshot | None:
        """The execution of a question; None when the Standard machine knows none, as it may for some seconds."""

    def history(self, question_id: str) -> list[dict[str, Any]]:
        """The events of the execution of a question so far; [] when the Standard machine knows none."""
