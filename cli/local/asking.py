"""One question on the laptop: documents in step, the local stack up, the execution kept."""

from typing import TYPE_CHECKING

from cli.local.aws.kept import has_answer, keep_execution, kept_tables
from cli.local.backends import Backends, check_generator, check_services, chosen_backends
from cli.local.index import local_parts
from cli.local.ingest import sync
from cli.local.lookup import known_records
from cli.local.place import Place
from cli.local.sources.report import Report
from cli.local.sources.telling import OnDocument
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.questions import AskRequest

if TYPE_CHECKING:
    from cli.local.aws.stack import Execution, OnStep


def ask_question(
    request: AskRequest, place: Place, on_document: OnDocument, on_step: "OnStep"
) -> "tuple[Execution, Report | None]":
    """Answer a question from a place and keep answer, verdicts and history.

    A directory is brought up to date before, which the report tells of. Raises InvalidInput for a collection that was
    never read or an earlier question that is not kept, Misconfigured for a service that has no URL.
    """
    if request.previous and not has_answer(request.previous):
        raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    if place.directory is None:
        known_records(place)
    check_services()
    check_generator(request.policy)
    report = sync(place, on_document) if place.directory else None
    with chosen_backends(place) as backends, backends.reading_ahead(request, place):
        execution = _executed(request, place, backends, on_step)
    keep_execution(execution.id, execution.history)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report


def _executed(request: AskRequest, place: Place, backends: Backends, on_step: "OnStep") -> "Execution":
    # It takes a second to load, which what is refused before does not need.
    from cli.local.aws.lighter.programs import kept_programs
    from cli.local.aws.stack import running_stack

    payload = request.execution_input([place.collection])
    payload["policy"]["web_search"] &= backends.has_web
    environment, secrets = backends.environment, backends.secrets
    with (
        running_stack(environment, secrets, parts=local_parts(), on_step=on_step, parse=kept_programs()) as stack,
        kept_tables(),
    ):
        return stack.execute(payload)
