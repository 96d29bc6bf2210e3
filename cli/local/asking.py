"""One question on the laptop: documents in step, the local stack up, the execution kept."""

from pathlib import Path

from cli.local.aws.kept import has_answer, keep_execution, kept_tables
from cli.local.aws.stack import Execution, OnStep, running_stack
from cli.local.backends import chosen_backends
from cli.local.files import SAMPLE_DOCUMENTS
from cli.local.index import collection_of, local_parts
from cli.local.ingest import Progress, Report, sync
from cli.local.lookup import known_documents, refuse_both
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.questions import AskRequest


def ask_question(
    request: AskRequest, documents: Path | None, progress: Progress, on_step: OnStep, collection: str = ""
) -> tuple[Execution, Report | None]:
    """Answer a question from a directory (the sample handbook if None) and keep answer, verdicts and history.

    A named collection is asked as it was ingested, so there is nothing to report of it. Raises InvalidInput for a
    directory, a collection or an earlier question that cannot be used.
    """
    refuse_both(documents, collection)
    if collection:
        known_documents(None, collection)
    directory = None if collection else documents or SAMPLE_DOCUMENTS
    report = sync(directory, progress) if directory else None
    if request.previous and not has_answer(request.previous):
        raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    payload = request.execution_input([collection_of(directory) if directory else collection])
    with chosen_backends(directory) as backends:
        payload["policy"]["web_search"] &= backends.has_web
        with (
            running_stack(backends.environment, backends.secrets, parts=local_parts(), on_step=on_step) as stack,
            kept_tables(),
        ):
            execution = stack.execute(payload)
    keep_execution(execution)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report
