"""One question on the laptop: documents in step, the local stack up, the execution kept."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.questions import AskRequest
from selfrag_cli.local.backends import Backends, check_services, chosen_backends, policy_fields
from selfrag_cli.local.index import local_parts
from selfrag_cli.local.lookup import stored_records
from selfrag_cli.local.sources.embedding import embed_for
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.progress import OnDocument
from selfrag_cli.local.sources.report import IngestionReport
from selfrag_cli.local.sources.sync import read
from selfrag_cli.local.stores.tables import ANSWERS, opened_items
from selfrag_cli.terminal import warn_of_wait

if TYPE_CHECKING:
    from selfrag.bootstrap import Parts
    from selfrag_cli.local.runner.machine import Execution
    from selfrag_cli.local.stack import OnStep


def ask_question(
    request: AskRequest, place: Place, on_document: OnDocument, steps: "Callable[[], AbstractContextManager[OnStep]]"
) -> "tuple[Execution, IngestionReport | None]":
    """Answer a question from a place and keep answer, verdicts and history; Ctrl-C ends the execution.

    A directory is brought up to date first; the report is of that. `steps` shows each step as it begins. Raises
    InvalidInput for a collection that was never read or an earlier question that is not kept, Misconfigured for a
    service that has no URL.
    """
    if request.previous and not _is_kept(request.previous):
        raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    if place.directory is None:
        stored_records(place)
    check_services()
    report = read(place, on_document, on_wait=warn_of_wait) if place.directory else None
    embed_for(request.question, place.collection, on_document)
    with chosen_backends(place) as backends:
        execution = _executed(request, place, backends, steps)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report


def _is_kept(question_id: str) -> bool:
    with opened_items() as items:
        return items.get(ANSWERS, question_id) is not None


class _Cancellation:
    """Whether an execution is to end, if it has begun or as soon as it begins."""

    _is_set = False
    _stop: Callable[[], None] | None = None

    def begin(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        if self._is_set:
            stop()

    def set(self) -> None:
        self._is_set = True
        if self._stop:
            self._stop()


def _executed(
    request: AskRequest, place: Place, backends: Backends, steps: "Callable[[], AbstractContextManager[OnStep]]"
) -> "Execution":
    payload = request.execution_input([place.collection])
    payload["policy"] |= policy_fields(request, place)
    cancellation = _Cancellation()

    def run() -> "Execution":
        # What is refused before needs no handlers, which take a while to load.
        from selfrag_cli.local.stack import running_stack

        parts: Parts = {**local_parts(), **backends.parts}
        with steps() as on_step, running_stack(backends.environment, backends.secrets, parts, on_step) as executions:
            return executions.execute(uuid.uuid4().hex, payload, cancellation.begin)

    # Ctrl-C comes to the main thread alone: in another one it leaves no import half done, and no display of steps.
    with ThreadPoolExecutor(1) as pool:
        execution = pool.submit(run)
        try:
            return execution.result()
        except KeyboardInterrupt:
            cancellation.set()
            raise
