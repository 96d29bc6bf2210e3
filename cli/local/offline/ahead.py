"""The stand-in reads ahead: while the local stack is loaded, it compares a question with the passages of its search.

To embed the sentences of passages that it has not met takes as long as to load the stack, and needs another core. What
it finds is found again when it is asked, then without an embedding.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cli.local.lookup import search_passages
from cli.local.offline.rules.grade_relevance import grade_relevance
from cli.local.place import Place
from selfrag.domain.questions import AskRequest


@contextmanager
def reading_ahead(request: AskRequest, place: Place) -> Iterator[None]:
    """Read beside the block what the search for the question will find; a block that ends sooner does not wait."""
    ended = threading.Event()
    thread = threading.Thread(target=_read, args=(request, Place(place.collection), ended), name="reading ahead")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _read(request: AskRequest, place: Place, ended: threading.Event) -> None:
    # Whatever goes wrong here goes wrong again where it is asked for, and is told there.
    with suppress(Exception):
        found, _ = search_passages(request.question, place, request.filters, request.policy.top_k, lambda *_: None)
        for passage in found:
            if ended.is_set():
                return
            grade_relevance({"question": request.question, "passage": passage})
