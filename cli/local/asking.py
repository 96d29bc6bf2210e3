"""One question on the laptop: documents in step, the local stack up, the execution kept."""

from typing import TYPE_CHECKING

from cli.local.aws.kept import has_answer, keep_execution, kept_tables
from cli.local.backends import check_services, chosen_backends
from cli.local.index import local_parts
from cli.local.ingest import OnDocument, Report, sync
from cli.local.lookup import known_records
from cli.local.place import Place
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
    report = sync(place, on_document) if place.directory else None
    # It takes seconds to load, which what is refused above does not need.
    from cli.local.aws.lighter.programs import kept_programs
    from cli.local.aws.stack import running_stack

    payload = request.execution_input([place.collection])
    with chosen_backends(place) as backends:
        payload["policy"]["web_search"] &= backends.has_web
        with (
            running_stack(
                backends.environment, backends.secrets, parts=local_parts(), on_step=on_step, parse=kept_programs()
            ) as stack,
            kept_tables(),
        ):
            execution = stack.execute(payload)
    keep_execution(execution.id, execution.history)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report
