"""The HTTP API on loopback: the deployed `ask` function over the local stack, called as API Gateway calls it."""

import re
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Protocol

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

from ask.app import make_app
from ask.edge.problems import ProblemRaised, as_problem, respond
from ask.handler import make_handler
from cli.local.environment import DOCUMENTS_BUCKET
from cli.local.loopback import App, Loopback
from cli.local.serving.cors import opened, refuse_strangers
from cli.local.serving.events import PATH, Streams, Watch, streaming
from cli.local.serving.invocation import invoke
from selfrag import bootstrap
from selfrag.ports.objects import Uploads
from selfrag.runtime.observability import Handler

_FORMS = {"Allow": "POST, OPTIONS"}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_of_thread: ContextVar[dict[str, Any]] = ContextVar("of_thread")


class Bucket(Uploads, Protocol):
    """What stands in for the bucket of documents: the API's side of it, and S3's end of a form."""

    def upload(self, request: Request) -> Response:
        """S3's response to a form that was sent."""


@contextmanager
def serving(
    port: int,
    watch: Watch,
    bucket: Callable[[str], Bucket] | None = None,
    handler: Handler | None = None,
    origins: Collection[str] = (),
) -> Iterator[str]:
    """Answer HTTP on loopback until the block ends; gives the URL. The local stack has to be running.

    `watch` tells of the events of its executions. `bucket` makes, for that URL, what stands in for the stack's bucket;
    `handler` stands in for the deployed one; pages of these `origins` may ask, beside the API's own. Raises
    Misconfigured if the port is taken.
    """
    # A form has the URL that it is sent to, so the server is there before what answers.
    server = Loopback(lambda request: app(request), port, _refused)
    given = bucket(server.url) if bucket else None
    answers = handler or threaded_handler()
    parts: bootstrap.Parts = {"uploads": given} if given else {}
    with streaming(answers, watch) as streams, bootstrap.using(**parts):
        app = _gateway(answers, given, streams, origins)
        with server:
            yield server.url


def threaded_handler() -> Handler:
    """The deployed handler, for a server that has many requests at a time."""
    app = make_app(PerThread)
    for route in (*app._static_routes, *app._dynamic_routes):
        # Powertools does it at a route's first request, and two at once break the route for good.
        route._build_middleware_stack(app._router_middlewares, app)
    return make_handler(app)


class PerThread(APIGatewayRestResolver):
    """Powertools keeps the request at hand on a class, since a Lambda has one at a time; a server has many."""

    current_event: Any = property(lambda self: _of_thread.get()["current_event"])
    lambda_context: Any = property(lambda self: _of_thread.get()["lambda_context"])
    context: Any = property(lambda self: _of_thread.get({"context": {}})["context"], lambda self, value: None)

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        """Answer one request; what is known of it is this thread's."""
        _of_thread.set({"current_event": self._to_proxy_event(event), "lambda_context": context, "context": {}})
        return super().resolve(event, context)


def _gateway(handler: Handler, bucket: Bucket | None, streams: Streams, origins: Collection[str]) -> App:
    def answer(request: Request) -> Response:
        # A page whose host name was made to lead here: a browser would let it read the answers.
        if re.sub(r":\d*$", "", request.headers.get("host", LOOPBACK[0]).lower()) not in LOOPBACK:
            detail = "This server is asked under the name of this machine only."
            return _problem(ProblemRaised(HTTPStatus.FORBIDDEN, detail, "Ask http://127.0.0.1."))
        return opened(request, replied(request), origins)

    def replied(request: Request) -> Response:
        try:
            refuse_strangers(request, origins)
            if bucket and request.path == f"/{DOCUMENTS_BUCKET}":
                return _uploaded(bucket, request)
            return streams.open(request) if PATH.match(request.path) else invoke(handler, request)
        except (ConnectionError, HTTPException):  # the client is gone, or what it sends cannot be read
            raise
        except Exception as error:
            return _problem(as_problem(error))

    return answer


def _uploaded(bucket: Bucket, request: Request) -> Response:
    if request.method == "OPTIONS":
        return Response(status=HTTPStatus.NO_CONTENT, headers=_FORMS)
    if request.method != "POST":
        hint = "POST /v1/documents gives the form that this path takes."
        raise ProblemRaised(HTTPStatus.METHOD_NOT_ALLOWED, "This path takes POST and OPTIONS only.", hint, _FORMS)
    return bucket.upload(request)


def _refused(status: HTTPStatus) -> Response:
    """What is no HTTP: a line too long, headers without end, a body cut off."""
    return _problem(ProblemRaised(status, "What was sent is no request that can be read.", "Send it as HTTP/1.1."))


def _problem(problem: ProblemRaised) -> Response:
    request_id = str(uuid.uuid4())
    told = respond(problem, request_id)
    headers = {**problem.headers, "X-Request-Id": request_id, "Content-Type": str(told.content_type)}
    return Response(told.body, told.status_code, headers)
