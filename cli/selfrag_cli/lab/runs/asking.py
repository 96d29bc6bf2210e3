"""Questions to the local stack, in processes as `selfrag serve` has them, or to a deployment."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from selfrag.domain.errors import SelfragError
from selfrag.domain.questions import AskRequest
from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.lab.responses import Response
from selfrag_cli.lab.runs.variants import Variant
from selfrag_cli.local.backends import check_services, has_web
from selfrag_cli.local.lookup import stored_records
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.sync import OnDocument, sync
from selfrag_cli.remote import ask_remote

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
    return sync(place, on_document).in_short(place)


@contextmanager
def asking_place(place: Place, variants: Sequence[Variant], store: Store) -> Iterator[Ask]:
    """Answer from a place, whose documents are in step, in processes of its own for each setup of the variants."""
    # It takes a second to load, which what is refused before does not need.
    from selfrag_cli.lab.runs.worker import workers

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
