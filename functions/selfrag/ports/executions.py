"""Executions of questions: starting one, waiting for it, and looking at its progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class StoredQuestion:
    """The stored item of a question: its response or None, and its due time (epoch seconds).

    With a response, it has the id of the earlier question. `collections` are the question's, `request` is the key of
    its idempotency record or "".
    """

    response: dict[str, Any] | None
    due: float
    collections: tuple[str, ...] = ()
    question: str = ""
    previous: str = ""
    request: str = ""


@dataclass(frozen=True)
class Snapshot:
    """A recent state of a Standard execution: its status in AWS's words, and its output."""

    status: str
    output: dict[str, Any] | None


class Executions(Protocol):
    """Access to questions: starting one, and looking at it; raises selfrag's typed errors."""

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question on the Express machine to its end; None if the connection timed out before."""

    def start(self, question_id: str, payload: dict[str, Any]) -> None:
        """Start a question on the Standard machine."""

    def expect(self, question_id: str, payload: Mapping[str, Any], due: float) -> None:
        """Store a started question with its due time, unless its response is already stored."""

    def read_stored(self, question_id: str) -> StoredQuestion | None:
        """Return the item of a question, whichever machine ran it, or None."""

    def delete(self, question_id: str) -> Sequence[str]:
        """Delete a question's item; return what AWS retains elsewhere, one sentence each."""

    def snapshot(self, question_id: str) -> Snapshot | None:
        """Return the execution of a question; None if the Standard machine knows none, or not yet."""

    def history(self, question_id: str) -> list[dict[str, Any]]:
        """Return the events so far of a question's execution; [] if the Standard machine knows none."""
