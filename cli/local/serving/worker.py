"""A process that answers questions of one setup, for an evaluation that compares several."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from cli.local.place import Place
from cli.local.serving.process import Remote
from cli.local.serving.server import answering
from cli.local.setup import Setup

Answered = tuple[dict[str, Any] | None, str, list[dict[str, Any]]]


class SetupWorker:
    """The executions of a place's questions with a setup; it ends with its process."""

    def __init__(self, place: Place, setup: Setup) -> None:
        self._executions, _ = ExitStack().enter_context(answering(place, setup, keeps_histories=False))

    def execute(self, question_id: str, payload: dict[str, Any]) -> Answered:
        """Run a question to its end; return its response, or None and the error, and its history."""
        ended = self._executions.execute(question_id, payload)
        return ended.output, ended.error, ended.history


@contextmanager
def workers(place: Place, setups: Sequence[Setup]) -> Iterator[list[Remote]]:
    """Begin a process for each setup, and end them with the block."""
    begun = [Remote(SetupWorker, place, setup) for setup in setups]
    try:
        for worker in begun:
            worker.wait_until_made()
        yield begun
    finally:
        for worker in begun:
            worker.end()
