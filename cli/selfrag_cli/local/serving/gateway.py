"""The HTTP API on loopback: the deployed `ask` function over the local stack, called as API Gateway calls it."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver

from selfrag import bootstrap
from selfrag.api.app import make_app
from selfrag.api.handler import make_handler
from selfrag.runtime.observability import Handler
from selfrag_cli.local.port import HOST, listening
from selfrag_cli.local.serving.app import ServedApi
from selfrag_cli.local.serving.bucket import Bucket
from selfrag_cli.local.serving.events import Streams, Watch
from selfrag_cli.local.serving.http import answering_http


@dataclass(frozen=True)
class _Invocation:
    """The request that a thread answers, as Powertools has it."""

    event: Any = None
    lambda_context: Any = None
    context: dict[str, object] = field(default_factory=dict)


_of_thread: ContextVar[_Invocation] = ContextVar("of_thread", default=_Invocation())  # noqa: B039 (it is frozen)


@contextmanager
def serving(
    port: int,
    watch: Watch,
    bucket: Callable[[str], Bucket] | None = None,
    handler: Handler | None = None,
    origins: Collection[str] = (),
    token: str = "",
) -> Iterator[str]:
    """Answer HTTP on loopback until the block ends; gives the URL. The local stack has to be running.

    `watch` waits for the events of its executions. `bucket` makes, for that URL, what stands in for the stack's bucket;
    `handler` stands in for the deployed one; pages of these `origins` may ask, and the API's own; with a `token`
    callers have to send it as their key. Raises Misconfigured if the port is taken.
    """
    with listening(port) as bound:
        url = f"http://{HOST}:{bound.getsockname()[1]}"
        uploads, answers = bucket(url) if bucket else None, handler or threaded_handler()
        parts: bootstrap.Parts = {"uploads": uploads} if uploads else {}
        app = ServedApi(answers, Streams(answers, watch), uploads, origins, token)
        with bootstrap.using(**parts), answering_http(bound, app):
            yield url


def threaded_handler() -> Handler:
    """Return the deployed handler, for a server that has many requests at a time."""
    app = make_app(PerThread)
    for route in (*app._static_routes, *app._dynamic_routes):
        # Powertools does it at a route's first request, and two at once break the route for good.
        route._build_middleware_stack(app._router_middlewares, app)
    return make_handler(app)


class PerThread(APIGatewayRestResolver):
    """Powertools keeps the request at hand on a class, since a Lambda has one at a time; a server has many."""

    current_event: Any = property(lambda self: _of_thread.get().event)
    lambda_context: Any = property(lambda self: _of_thread.get().lambda_context)
    context: Any = property(lambda self: _of_thread.get().context, lambda self, value: None)

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        """Answer one request; what is known of it is this thread's."""
        _of_thread.set(_Invocation(self._to_proxy_event(event), context))
        return super().resolve(event, context)
