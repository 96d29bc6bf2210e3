"""Questions to the local stack, in processes as `selfrag serve` has them, or to a deployment."""

import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.managers import BaseManager
from typing import Any, Protocol

from typing_extensions import override

from selfrag.domain.errors import SelfragError
from selfrag.domain.questions import AskRequest
from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.lab.responses import Response
from selfrag_cli.lab.runs.variants import Variant
from selfrag_cli.local.backends import check_services, has_web
from selfrag_cli.local.lookup import stored_records
from selfrag_cli.local.serving.server import answering
from selfrag_cli.local.setup import Setup
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.progress import OnDocument
from selfrag_cli.local.sources.sync import sync
from selfrag_cli.remote import ask_remote
from selfrag_cli.terminal import warn_of_wait


@dataclass(frozen=True)
class WorkerResult:
    """The response to a question, or None and the error; and the history of its execution."""

    response: dict[str, Any] | None
    error: str
    history: ExecutionHistory


class QuestionWorker(Protocol):
    """A process that answers questions; any number of threads may ask it at a time."""

    def execute(self, question_id: str, payload: Mapping[str, object]) -> WorkerResult:
        """Run a question to its end.

        Raises EOFError or OSError if the process is gone.
        """


class SetupWorker(QuestionWorker):
    """The executions of a place's questions with a setup, in a process that ends with the one that began it."""

    def open(self, place: Place, setup: Setup) -> None:
        """Make ready; raises selfrag's typed errors."""
        threading.Thread(target=end_with_parent, daemon=True).start()
        # Kept, or the stores would be closed at once.
        self._opened = ExitStack()
        self._executions, _ = self._opened.enter_context(answering(place, setup, keeps_histories=False))

    @override
    def execute(self, question_id: str, payload: Mapping[str, object]) -> WorkerResult:
        ended = self._executions.execute(question_id, payload)
        return WorkerResult(ended.output, ended.error, ExecutionHistory(question_id, ended.history))


class Processes(BaseManager):
    """A process whose objects are called from here, each call in a thread over there."""


Processes.register("SetupWorker", SetupWorker)


@contextmanager
def workers(place: Place, setups: Sequence[Setup]) -> Iterator[list[QuestionWorker]]:
    """Begin a process for each setup, and end them with the block; raises selfrag's typed errors."""
    with ExitStack() as processes:
        started: list[Any] = []
        for setup in setups:
            manager: Any = processes.enter_context(Processes(ctx=get_context("spawn")))
            started.append(manager.SetupWorker())
            started[-1].open(place, setup)
        yield started


def end_with_parent() -> None:
    """End this process when the one that began it has ended."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


# Called with a request, a key that is the same when the same question is asked once more, and the variant that asks;
# returns the response.
Ask = Callable[[AskRequest, str, Variant], Response]
# Called with the history of each execution that has ended.
Store = Callable[[ExecutionHistory], None]


def brought_in_step(place: Place, on_document: OnDocument) -> list[str]:
    """Bring a directory up to date before it is asked, and say in a line if not all of it can be read.

    Raises InvalidInput for a collection that was never read, Misconfigured for a service that has no URL.
    """
    check_services()
    if place.directory is None:
        stored_records(place)
        return []
    return sync(place, on_document, on_wait=warn_of_wait).in_short(place)


@contextmanager
def asking_place(place: Place, variants: Sequence[Variant], store: Store) -> Iterator[Ask]:
    """Answer from a place, whose documents are in step, in processes of its own for each setup of the variants."""
    setups = list(dict.fromkeys(variant.setup for variant in variants))
    with workers(place, setups) as processes:
        by_setup = dict(zip(setups, processes, strict=True))

        def ask(request: AskRequest, key: str, variant: Variant) -> Response:
            payload = request.execution_input([place.collection])
            payload["policy"]["web_search"] &= has_web(place)
            try:
                result = by_setup[variant.setup].execute(uuid.uuid4().hex, payload)
            except (EOFError, OSError):
                raise SelfragError("The process that answers questions has ended.") from None
            store(result.history)
            if result.response is None:
                # It may have paid by then, so it is not to be asked again at once.
                raise SelfragError(f"The workflow gave no response: {result.error}")
            return Response.model_validate(result.response)

        yield ask


def asking_endpoint(endpoint: str, api_key: str) -> Ask:
    """Ask a deployment: a question with the key of an earlier one is paid once, within a day."""
    return lambda request, key, variant: Response.model_validate(ask_remote(request, endpoint, api_key, key))
