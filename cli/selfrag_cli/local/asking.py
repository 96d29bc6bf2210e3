"""One question on the laptop: documents in step, the local stack up, the execution kept."""

import uuid
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
    from selfrag_cli.local.runner.machine import Execution
    from selfrag_cli.local.stack import OnStep


def ask_question(
    request: AskRequest, place: Place, on_document: OnDocument, on_step: "OnStep"
) -> "tuple[Execution, IngestionReport | None]":
    """Answer a question from a place and keep answer, verdicts and history.

    A directory is brought up to date first; the report is of that. Raises InvalidInput for a collection that was
    never read or an earlier question that is not kept, Misconfigured for a service that has no URL.
    """
    if request.previous and not _is_kept(request.previous):
        raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    if place.directory is None:
        stored_records(place)
    check_services()
    report = read(place, on_document, on_wait=warn_of_wait) if place.directory else None
    embed_for(request.question, place.collection, on_document)
    with chosen_backends(place) as backends:
        execution = _executed(request, place, backends, on_step)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report


def _is_kept(question_id: str) -> bool:
    with opened_items() as items:
        return items.get(ANSWERS, question_id) is not None


def _executed(request: AskRequest, place: Place, backends: Backends, on_step: "OnStep") -> "Execution":
    # What is refused before needs no handlers, which take a while to load.
    from selfrag_cli.local.stack import running_stack

    payload = request.execution_input([place.collection])
    payload["policy"] |= policy_fields(request, place)
    with running_stack(
        backends.environment, backends.secrets, {**local_parts(), **backends.parts}, on_step
    ) as executions:
        return executions.execute(uuid.uuid4().hex, payload)
