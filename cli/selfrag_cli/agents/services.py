"""The services that answer the tools of agents: the local stack, and a deployment."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from anyio import CancelScope, get_cancelled_exc_class
from typing_extensions import override

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import AskRequest, Filters
from selfrag_cli.local.serving.threads import in_thread

if TYPE_CHECKING:
    from selfrag.runtime.observability import Handler
    from selfrag_cli.local.sources.place import Place
    from selfrag_cli.local.stores.executions import LocalExecutions

# How often a question that does nothing is looked at.
LOOK_SECONDS = 60.0


@dataclass(frozen=True)
class AgentCaller:
    """The caller of a tool: its API key, "" without one, and what gets the name of each state that is entered."""

    key: str
    on_state: Callable[[str], Awaitable[None]]


class AgentService(Protocol):
    """A service that answers the tools; its methods raise SelfragError."""

    # Whether passages can be searched without a question.
    can_search: bool

    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        """Return the response to a question; a cancellation ends its execution."""

    async def get(self, path: str, query: Mapping[str, Any], caller: AgentCaller) -> Mapping[str, Any]:
        """Return what a path of the API has for the caller."""

    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        """Return the best passages for a query, and how many full text matched."""


class StackService(AgentService):
    """The API of a local stack, called in this process: `open_stack` returns its handler and its executions.

    `prepare` brings the documents up to date before a call, and embeds what its question needs.
    """

    can_search = True

    def __init__(
        self,
        place: "Place",
        open_stack: "Callable[[], tuple[Handler, LocalExecutions]]",
        prepare: Callable[[str], None] = lambda question: None,
    ) -> None:
        self._place, self._open_stack, self._prepare = place, open_stack, prepare
        self._lock = Lock()

    @override
    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        _, executions = await in_thread(self._ready, request.question)
        body = request.model_dump_json(exclude_unset=True).encode()
        # The id of what has begun is needed to stop it.
        with CancelScope(shield=True):
            begun = await in_thread(self._call, "POST", "/v1/questions", {}, caller.key, body)
        question_id, seen = str(begun["id"]), 0
        try:
            while (count := await in_thread(executions.watch, question_id, seen, LOOK_SECONDS)) is not None:
                for event in executions.history(question_id)[seen:count]:
                    if event["type"] == "TaskStateEntered":
                        await caller.on_state(event["stateEnteredEventDetails"]["name"])
                seen = count
        except get_cancelled_exc_class():
            executions.stop(question_id)
            raise
        return await in_thread(self._call, "GET", f"/v1/questions/{question_id}", {}, caller.key)

    @override
    async def get(self, path: str, query: Mapping[str, Any], caller: AgentCaller) -> Mapping[str, Any]:
        await in_thread(self._ready)
        return await in_thread(self._call, "GET", path, query, caller.key)

    @override
    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        from selfrag_cli.local.lookup import search_passages

        await in_thread(self._ready)
        look = partial(search_passages, query, self._place, filters, top_k, lambda progress: None)
        hits, text_hits, _ = await in_thread(look)
        return {"passages": [hit.model_dump(exclude={"by_text", "by_vector"}) for hit in hits], "text_hits": text_hits}

    def _ready(self, question: str = "") -> "tuple[Handler, LocalExecutions]":
        with self._lock:
            stack = self._open_stack()
            self._prepare(question)
            return stack

    def _call(self, method: str, path: str, query: Mapping[str, Any], key: str, body: bytes = b"") -> Mapping[str, Any]:
        from selfrag_cli.local.serving.invocation import ProxyRequest, invoke
        from selfrag_cli.remote import error_of

        headers = {"content-type": "application/json", **({"x-api-key": key} if key else {})}
        parameters = {name: [str(value)] for name, value in query.items()}
        reply = invoke(self._open_stack()[0], ProxyRequest(method, path, parameters, headers, body))
        fields: Mapping[str, Any] = json.loads(bytes(reply.body))
        if reply.status_code >= 400:
            raise error_of(reply.status_code, fields)
        return fields


@contextmanager
def laptop_service(place: "Place") -> Iterator[StackService]:
    """Yield the service of a place, whose stack starts with the first call that needs it."""
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

        yield StackService(type(place)(place.collection), open_stack, partial(_prepare, place))


def _prepare(place: "Place", question: str) -> None:
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


class DeploymentService(AgentService):
    """The API of a deployment, over HTTPS: it tells no progress, and a question that began runs to its end."""

    can_search = False

    def __init__(self, endpoint: str, api_key: str) -> None:
        self._endpoint, self._api_key = endpoint, api_key

    @override
    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        from selfrag_cli.remote import ask_remote

        return await in_thread(ask_remote, request, self._endpoint, self._api_key)

    @override
    async def get(self, path: str, query: Mapping[str, Any], caller: AgentCaller) -> Mapping[str, Any]:
        from selfrag_cli.remote import get_remote

        return await in_thread(get_remote, self._endpoint, path, query, self._api_key)

    @override
    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        raise InvalidInput("A deployment searches for questions only: use `ask`.")
