"""The services that answer the tools of agents: the local stack, and a deployment."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from anyio import CancelScope, get_cancelled_exc_class
from pydantic import JsonValue

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag.domain.questions import AskRequest, Filters
from selfrag_cli.local.serving.threads import in_thread

if TYPE_CHECKING:
    from selfrag.runtime.observability import Handler
    from selfrag_cli.local.sources.place import Place
    from selfrag_cli.local.stores.executions import LocalExecutions

# Called with the name of each state that an execution enters.
OnState = Callable[[str], Awaitable[None]]
Prepare = Callable[[str], None]
# How often a question that does nothing is looked at.
LOOK_SECONDS = 60.0


class AgentService(Protocol):
    """A service that answers the tools; `key` is the caller's API key, "" without one."""

    # Whether passages can be searched without a question.
    can_search: bool

    async def ask(self, request: AskRequest, key: str, on_state: OnState) -> Mapping[str, Any]:
        """Return the response to a question; raises SelfragError. A cancellation ends the execution."""

    async def get(self, path: str, query: Mapping[str, str], key: str) -> Mapping[str, Any]:
        """Return what a path of the API has for the caller; raises SelfragError."""

    async def search(self, query: str, filters: Filters, top_k: int) -> tuple[list[Passage], int | None]:
        """Return the best passages for a query, and how many full text matched."""


class StackService(AgentService):
    """The API of a local stack, called in this process.

    `open_stack` returns its handler and its executions. `prepare` brings the documents up to date before they are used:
    for this question, for a list of them if it is "".
    """

    can_search = True

    def __init__(
        self,
        place: "Place",
        open_stack: "Callable[[], tuple[Handler, LocalExecutions]]",
        prepare: Prepare = lambda question: None,
    ) -> None:
        self._place, self._open_stack, self._prepare = place, open_stack, prepare
        self._lock = Lock()

    async def ask(self, request: AskRequest, key: str, on_state: OnState) -> Mapping[str, Any]:
        """Return the response to a question, whose states are reported as they are entered."""
        _, executions = await in_thread(self._ready, request.question)
        body = request.model_dump_json(exclude_unset=True).encode()
        # The id of what has begun is needed to stop it.
        with CancelScope(shield=True):
            begun = await in_thread(self._call, "POST", "/v1/questions", {}, key, body)
        question_id, seen = str(begun["id"]), 0
        try:
            while (count := await in_thread(executions.watch, question_id, seen, LOOK_SECONDS)) is not None:
                for event in executions.history(question_id)[seen:count]:
                    if event["type"] == "TaskStateEntered":
                        await on_state(event["stateEnteredEventDetails"]["name"])
                seen = count
        except get_cancelled_exc_class():
            executions.stop(question_id)
            raise
        return await in_thread(self._call, "GET", f"/v1/questions/{question_id}", {}, key)

    async def get(self, path: str, query: Mapping[str, str], key: str) -> Mapping[str, Any]:
        """Return what a path of the API has for the caller."""
        await in_thread(self._ready)
        return await in_thread(self._call, "GET", path, query, key)

    async def search(self, query: str, filters: Filters, top_k: int) -> tuple[list[Passage], int | None]:
        """Return the best passages of the place."""
        from selfrag_cli.local.lookup import search_passages

        await in_thread(self._ready)
        look = partial(search_passages, query, self._place, filters, top_k, lambda progress: None)
        hits, text_hits, _ = await in_thread(look)
        return [*hits], text_hits

    def _ready(self, question: str = "") -> "tuple[Handler, LocalExecutions]":
        with self._lock:
            stack = self._open_stack()
            self._prepare(question)
            return stack

    def _call(
        self, method: str, path: str, query: Mapping[str, str], key: str, body: bytes = b""
    ) -> Mapping[str, JsonValue]:
        from selfrag_cli.local.serving.invocation import ProxyRequest, invoke
        from selfrag_cli.remote import error_of

        handler, _ = self._open_stack()
        headers = {"content-type": "application/json", **({"x-api-key": key} if key else {})}
        reply = invoke(handler, ProxyRequest(method, path, {name: [query[name]] for name in query}, headers, body))
        fields: Mapping[str, JsonValue] = json.loads(bytes(reply.body))
        if reply.status_code >= 400:
            raise error_of(reply.status_code, fields)
        return fields


@contextmanager
def laptop_service(place: "Place") -> Iterator[StackService]:
    """Yield the service of a place, whose stack starts with the first call that needs it."""
    from selfrag_cli.local.sources.place import Place

    def prepare(question: str) -> None:
        from selfrag_cli.local.lookup import stored_records
        from selfrag_cli.local.sources.embedding import embed_for, embed_in_background
        from selfrag_cli.local.sources.sync import read
        from selfrag_cli.terminal import warn_of_wait

        if place.directory:
            read(place, on_wait=warn_of_wait)
        else:
            stored_records(place)
        if question:
            embed_for(question, place.collection, lambda progress: None)
            embed_in_background(place.collection)

    with ExitStack() as contexts:

        @cache
        def open_stack() -> "tuple[Handler, LocalExecutions]":
            from selfrag import bootstrap
            from selfrag_cli.local.backends import check_services
            from selfrag_cli.local.serving.bucket import ReadOnlyBucket
            from selfrag_cli.local.serving.gateway import threaded_handler
            from selfrag_cli.local.serving.server import answering

            check_services()
            executions, _ = contexts.enter_context(answering(place))
            contexts.enter_context(bootstrap.using(uploads=ReadOnlyBucket(None, "")))
            return threaded_handler(), executions

        yield StackService(Place(place.collection), open_stack, prepare)


class DeploymentService(AgentService):
    """The API of a deployment, over HTTPS: it tells no progress, and a question that began runs to its end."""

    can_search = False

    def __init__(self, endpoint: str, api_key: str) -> None:
        self._endpoint, self._api_key = endpoint, api_key

    async def ask(self, request: AskRequest, key: str, on_state: OnState) -> Mapping[str, Any]:
        """Return the response to a question."""
        from selfrag_cli.remote import ask_remote

        return await in_thread(ask_remote, request, self._endpoint, self._api_key)

    async def get(self, path: str, query: Mapping[str, str], key: str) -> Mapping[str, Any]:
        """Return what a path of the API has for the key."""
        from selfrag_cli.remote import get_remote

        return await in_thread(get_remote, self._endpoint, path, query, self._api_key)

    async def search(self, query: str, filters: Filters, top_k: int) -> tuple[list[Passage], int | None]:
        """Raise InvalidInput: the API of a deployment has no search."""
        raise InvalidInput("A deployment searches for questions only: use `ask`.")
