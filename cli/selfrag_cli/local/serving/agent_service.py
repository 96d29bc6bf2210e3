"""The local stack as the service of agents."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from anyio import CancelScope, get_cancelled_exc_class
from typing_extensions import override

from selfrag.agents.services import AgentCaller, AgentService, call_api
from selfrag.domain.questions import AskRequest, Filters
from selfrag_cli.local.serving.threads import in_thread

if TYPE_CHECKING:
    from selfrag.runtime.observability import Handler
    from selfrag_cli.local.sources.source import DocumentSource
    from selfrag_cli.local.stores.executions import LocalExecutions

# How often a question that does nothing is looked at.
LOOK_SECONDS = 60.0


class StackService(AgentService):
    """The API of a local stack, called in this process: `open_stack` returns its handler and its executions.

    `prepare` brings the documents up to date before a call, and embeds what its question needs.
    """

    def __init__(
        self,
        source: "DocumentSource",
        open_stack: "Callable[[], tuple[Handler, LocalExecutions]]",
        prepare: Callable[[str], None] = lambda question: None,
    ) -> None:
        self._source, self._open_stack, self._prepare = source, open_stack, prepare
        self._lock = Lock()

    @override
    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        _, executions = await in_thread(self._ready, request.question)
        body = request.model_dump_json(exclude_unset=True)
        # The question's id is needed to stop it.
        with CancelScope(shield=True):
            begun = await in_thread(self._call, caller.key, "POST", "/v1/questions", {}, body)
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
        return await in_thread(self._call, caller.key, "GET", f"/v1/questions/{question_id}")

    @override
    async def get(self, path: str, query: Mapping[str, object], caller: AgentCaller) -> Mapping[str, Any]:
        await in_thread(self._ready)
        return await in_thread(self._call, caller.key, "GET", path, query)

    @override
    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        from selfrag_cli.local.asking import search_passages

        await in_thread(self._ready)
        look = partial(search_passages, query, self._source, filters, top_k, lambda progress: None)
        hits, text_hits, _ = await in_thread(look)
        return {"passages": [hit.model_dump(exclude={"by_text", "by_vector"}) for hit in hits], "text_hits": text_hits}

    def _ready(self, question: str = "") -> "tuple[Handler, LocalExecutions]":
        with self._lock:
            stack = self._open_stack()
            self._prepare(question)
            return stack

    def _call(self, key: str, *request: Any) -> Mapping[str, Any]:
        from selfrag_cli.local.serving.invocation import LocalContext

        def handle(event: dict[str, Any]) -> Mapping[str, Any]:
            return self._open_stack()[0](event, LocalContext())

        return call_api(handle, {"identity": {"apiKeyId": key or None}}, *request)


@contextmanager
def laptop_service(source: "DocumentSource") -> Iterator[StackService]:
    """Yield the service of a source, whose stack starts with the first call that needs it."""
    with ExitStack() as contexts:

        @cache
        def open_stack() -> "tuple[Handler, LocalExecutions]":
            from selfrag import bootstrap
            from selfrag_cli.local.asking import open_executions
            from selfrag_cli.local.backends import check_services
            from selfrag_cli.local.serving.bucket import DirectoryBucket
            from selfrag_cli.local.serving.invocation import threaded_handler

            check_services()
            executions, _ = contexts.enter_context(open_executions(source))
            contexts.enter_context(bootstrap.using(uploads=DirectoryBucket(None, "")))
            return threaded_handler(), executions

        yield StackService(type(source)(source.collection), open_stack, partial(_prepare, source))


def _prepare(source: "DocumentSource", question: str) -> None:
    from selfrag_cli.local.asking import stored_records
    from selfrag_cli.local.sources.sync import embed_for, embed_in_background, read
    from selfrag_cli.terminal import warn, warn_of_wait

    if source.directory:
        warn(read(source, on_wait=warn_of_wait).brief_lines(source))
    else:
        stored_records(source)
    if question:
        embed_for(question, source.collection, lambda progress: None)
        embed_in_background(source.collection)
