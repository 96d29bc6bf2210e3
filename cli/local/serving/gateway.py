"""The HTTP API on loopback: the deployed `ask` function over the local stack, called as API Gateway calls it."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Protocol

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from werkzeug.wrappers import Request, Response

from ask.app import make_app
from ask.edge.problems import ProblemRaised, respond
from ask.handler import make_handler
from cli.local.aws.resources import DOCUMENTS_BUCKET
from cli.local.aws.watching import watch
from cli.local.loopback import App, Loopback
from cli.local.serving.events import PATH, Streams, Watch, streaming
from cli.local.serving.invocation import invoke
from selfrag import bootstrap
from selfrag.ports.objects import Uploads
from selfrag.runtime.observability import Handler

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_of_thread: ContextVar[dict[str, Any]] = ContextVar("of_thread")


class Bucket(Uploads, Protocol):
    """What stands in for the bucket of documents: the API's side of it, and S3's end of a form."""

    def upload(self, request: Request) -> Response:
        """S3's response to a form that was sent."""


@contextmanager
def serving(
    port: int = 0,
    bucket: Callable[[str], Bucket] | None = None,
    handler: Handler | None = None,
    watch: Watch = watch,
) -> Iterator[str]:
    """Answer HTTP on loopback until the block ends; gives the URL. The local stack has to be running.

    `bucket` makes, for that URL, what stands in for the stack's bucket; `handler` stands in for the deployed one, and
    `watch` for the executions of this process. Raises Misconfigured if the port is taken.
    """
    # A form has the URL that it is sent to, so the server is there before what answers.
    server = Loopback(lambda request: app(request), port, _refused)
    given = bucket(server.url) if bucket else None
    answers = handler or threaded_handler()
    parts: bootstrap.Parts = {"uploads": given} if given else {}
    with streaming(answers, watch) as streams, bootstrap.using(**parts):
        app = _gateway(answers, given, streams)
        with server:
            yield server.url


def threaded_handler() -> Handler:
    """The deployed handler, for a server that has many requests at a time."""
    return make_handler(make_app(PerThread))


class PerThread(APIGatewayRestResolver):
    """Powertools keeps the request at hand on a class, since a Lambda has one at a time; a server has many."""

    current_event: Any = property(lambda self: _of_thread.get()["current_event"])
    lambda_context: Any = property(lambda self: _of_thread.get()["lambda_context"])
    context: Any = property(lambda self: _of_thread.get({"context": {}})["context"], lambda self, value: None)

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        """Answer one request; what is known of it is this thread's."""
        _of_thread.set({"current_event": self._to_proxy_event(event), "lambda_context": context, "context": {}})
        return super().resolve(event, context)


def _gateway(handler: Handler, bucket: Bucket | None, streams: Streams) -> App:
    def answer(request: Request) -> Response:
        # A page whose host name was made to lead here: a browser would let it read the answers.
        if re.sub(r":\d*$", "", request.headers.get("host", LOOPBACK[0]).lower()) not in LOOPBACK:
            detail = "This server is asked under the name of this machine only."
            return _problem(ProblemRaised(HTTPStatus.FORBIDDEN, detail, "Ask http://127.0.0.1."))
        try:
            if bucket and request.method == "POST" and request.path == f"/{DOCUMENTS_BUCKET}":
                return bucket.upload(request)
            return streams.open(request) if PATH.match(request.path) else invoke(handler, request)
        except ProblemRaised as problem:
            return _problem(problem)

    return answer


def _refused(status: HTTPStatus) -> Response:
    """What is no HTTP: a line too long, headers without end, a body cut off."""
    return _problem(ProblemRaised(status, "What was sent is no request that can be read.", "Send it as HTTP/1.1."))


def _problem(problem: ProblemRaised) -> Response:
    request_id = str(uuid.uuid4())
    told = respond(problem, request_id)
    headers = {**problem.headers, "X-Request-Id": request_id, "Content-Type": str(told.content_type)}
    return Response(told.body, told.status_code, headers)
