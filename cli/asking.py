"""One question on the laptop: documents in step, the local stack up, the execution kept."""

from pathlib import Path

from cli.aws.kept import has_answer, keep_execution, kept_tables
from cli.aws.stack import Execution, OnStep, running_stack
from cli.backends import chosen_backends
from cli.files import SAMPLE_DOCUMENTS
from cli.index import collection_of
from cli.ingest import Progress, Report, sync
from selfrag.errors import InvalidInput, SelfragError
from selfrag.requests import AskRequest


def ask_question(
    request: AskRequest, documents: Path | None, progress: Progress, on_step: OnStep
) -> tuple[Execution, Report]:
    """Answer a question from a directory (the sample handbook if None) and keep answer, verdicts and history.

    Raises InvalidInput for a directory or an earlier question that cannot be used.
    """
    directory = documents or SAMPLE_DOCUMENTS
    report = sync(directory, progress)
    if request.previous and not has_answer(request.previous):
        raise InvalidInput(f"There is no answer with the id {request.previous} here; ask its question again.")
    payload = request.execution_input([collection_of(directory)])
    with chosen_backends(directory) as backends:
        payload["policy"]["web_search"] &= backends.has_web
        with running_stack(backends.environment, backends.secrets, on_step=on_step) as stack, kept_tables():
            execution = stack.execute(payload)
    keep_execution(execution)
    if execution.output is None:
        raise SelfragError(f"The workflow did not end as it should: {execution.error}")
    return execution, report
