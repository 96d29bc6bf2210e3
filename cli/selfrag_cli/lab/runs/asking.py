"""Questions to the local stack, or to a deployment."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import SelfragError
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import ask_remote
from selfrag_cli.local.backends import check_services, policy_fields
from selfrag_cli.local.lookup import stored_records
from selfrag_cli.local.serving.server import answering
from selfrag_cli.local.setup import Setup
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.sync import sync
from selfrag_cli.local.stores.histories import ExecutionHistory
from selfrag_cli.terminal import reading_progress, warn, warn_of_wait

# Called with a request, and a key that is the same when the same question is asked once more; returns the response.
Ask = Callable[[AskRequest, str], AnswerResponse]
# Called with the history of each execution that has ended.
Store = Callable[[ExecutionHistory], None]


def bring_in_step(place: Place) -> None:
    """Bring a directory up to date before it is asked, and warn if not all of it can be read.

    Raises InvalidInput for a collection that was never read, Misconfigured for a service that has no URL.
    """
    check_services()
    if place.directory is None:
        stored_records(place)
        return
    with reading_progress() as on_document:
        warn(sync(place, on_document, on_wait=warn_of_wait).in_short(place))


@contextmanager
def asking_place(place: Place, setup: Setup, store: Store) -> Iterator[Ask]:
    """Answer from a place, whose documents are in step, with these prompts and models."""
    with answering(place, setup, keeps_histories=False) as (executions, _):

        def ask(request: AskRequest, key: str) -> AnswerResponse:
            payload, question_id = request.execution_input([place.collection]), uuid.uuid4().hex
            payload["policy"] |= policy_fields(request, place)
            ended = executions.execute(question_id, payload)
            store(ExecutionHistory(question_id, ended.history))
            if ended.output is None:
                # It may have paid by then, so it is not to be asked again at once.
                raise SelfragError(f"The workflow gave no response: {ended.error}")
            return AnswerResponse.model_validate(ended.output)

        yield ask


def asking_endpoint(endpoint: str, api_key: str) -> Ask:
    """Ask a deployment: a question with the key of an earlier one is paid once, within a day."""
    # Another release may answer there, whose responses have more fields.
    return lambda request, key: AnswerResponse.model_validate(
        ask_remote(request, endpoint, api_key, key), extra="ignore"
    )
