"""The HTTP API on loopback: the deployed `ask` function over the local stack, called as API Gateway calls it."""

import asyncio
import hmac
import json
import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from selfrag import bootstrap
from selfrag.api.edge.body import MAX_BODY_BYTES, max_body_bytes, refuse_large
from selfrag.api.edge.cors import EVERY, EXPOSED, PREFLIGHT_SECONDS, SECURITY_HEADERS, SENT, may_ask
from selfrag.api.edge.problems import ProblemError, as_problem, respond
from selfrag.authorize.handler import key_of
from selfrag.domain.errors import InvalidInput
from selfrag.ports.objects import UPLOAD_SECONDS
from selfrag.runtime.observability import Handler
from selfrag.text.file_names import disposition
from selfrag_cli.local.serving.bucket import ORIGINALS_PATH, UPLOADS_PATH, DirectoryBucket, check_size
from selfrag_cli.local.serving.events import Watch, answer
from selfrag_cli.local.serving.http import HOST, answering_http, listening
from selfrag_cli.local.serving.invocation import threaded_handler
from selfrag_cli.local.serving.threads import in_thread

if TYPE_CHECKING:
    from selfrag.agents.services import AgentService

MAX_LINE_BYTES = MAX_HEADERS_BYTES = 64 * 1024
# Paths open without the server's token: the page, which has no data, and addresses with a separate token.
_OPEN, _OPEN_BELOW = ("/", "/v1/health", "/v1/openapi.json"), (UPLOADS_PATH, ORIGINALS_PATH)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# As a browser writes it: no path, no blank, nothing in capitals.
_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_READING = ("GET", "HEAD", "OPTIONS")
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT")


def problem_response(problem: ProblemError, path: str) -> Response:
    """Return the response of a problem, with a new request id."""
    request_id = str(uuid.uuid4())
    reply = respond(problem, request_id, path)
    headers = {
        **SECURITY_HEADERS,
        **problem.headers,
        "X-Request-Id": request_id,
        "Content-Type": str(reply.content_type),
    }
    return Response(reply.body, reply.status_code, headers)


def refuse_head(request: Request) -> None:
    """Raise ProblemError for a line or headers that are too long, and for the name of another machine."""
    if len(request.scope["raw_path"]) + len(request.scope["query_string"]) > MAX_LINE_BYTES:
        detail = f"The address has more than {MAX_LINE_BYTES:,} bytes."
        raise ProblemError(HTTPStatus.REQUEST_URI_TOO_LONG, detail, "Put what is long into the body.")
    if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADERS_BYTES:
        detail = f"The headers have more than {MAX_HEADERS_BYTES:,} bytes."
        raise ProblemError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail, "Send fewer of them.")
    # A page whose host name was made to lead here: a browser would let it read the answers.
    if re.sub(r":\d*$", "", request.headers.get("host", LOOPBACK[0]).lower()) not in LOOPBACK:
        detail = "This server answers only under the name of this machine."
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, "Ask http://127.0.0.1.")


def origins_of(named: Iterable[str]) -> frozenset[str]:
    """Return the named origins; raises InvalidInput for an invalid one."""
    origins = frozenset(named)
    for origin in sorted(origins):
        if origin != EVERY and not _ORIGIN.fullmatch(origin):
            raise InvalidInput(f"{origin} is no origin: name it as https://app.example.com, in small letters, no path.")
    return origins


def refuse_strangers(request: Request, origins: Collection[str]) -> None:
    """Raise ProblemError if a page of an origin that is not named would change something, or ask.

    A browser sends some requests without asking first, and keeps from the page only what came of them.
    """
    named, host = request.headers.getlist("origin"), request.headers.get("host", "")
    if not named or request.method in _READING:
        return
    # The page that this server has itself, also where somebody forwards another port to it.
    own = f"http://{host}".lower() if host else ""
    if len(named) == 1 and (may_ask(named[0], origins) or named[0].lower() == own):
        return
    raise ProblemError(
        HTTPStatus.FORBIDDEN,
        "Pages of another origin may not ask this server.",
        "Start it with `selfrag serve --cors ORIGIN`.",
    )


def refuse_keyless(request: Request, token: str) -> None:
    """Raise ProblemError if a protected path is requested without the server's token.

    A browser's preflight has no key, and gets no data.
    """
    path = request.scope["path"]
    if not token or path in _OPEN or path.startswith(_OPEN_BELOW) or request.method == "OPTIONS":
        return
    key = key_of(request.headers)
    if not hmac.compare_digest(key.encode(), token.encode()):
        detail = "The key is not this server's token." if key else "This server wants its token as the key."
        hint = (
            "Open the link that `selfrag serve` has printed, or send its token in x-api-key or Authorization: Bearer."
        )
        raise ProblemError(HTTPStatus.UNAUTHORIZED, detail, hint, {"WWW-Authenticate": 'ApiKey realm="selfrag"'})


# As `minimum_compression_size` of infra/api.tf; a test compares.
COMPRESSED_FROM_BYTES = 1024
# The longest wait of a question for other requests, and how often it looks for them.
_LULL_SECONDS, _LOOK_SECONDS = 1.0, 0.01
# How long a body may take to come.
BODY_SECONDS = 60
_UPLOADS = {"Allow": "PUT, OPTIONS"}
AGENTS_PATH = "/mcp"
# Chromium shows no PDF in a sandbox: the type, which no browser may guess, keeps it from being a page.
_POLICIES = {False: "default-src 'none'; sandbox", True: "frame-ancestors 'self'"}
_ORIGINAL_HEADERS = {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}


class ServedApi:
    """Answers requests by a handler, streams a question's events with `watch`, and stores uploads in a bucket.

    With a `token`, callers must send it as their key. `agents` answers the agents' tools, if present. `admit` raises
    TemporarilyUnavailable, before a thread starts, if too many questions are running.
    """

    def __init__(
        self,
        handler: Handler,
        watch: Watch,
        bucket: DirectoryBucket | None,
        origins: Collection[str],
        token: str = "",
        agents: "AgentService | None" = None,
        admit: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._handler, self._watch, self._bucket, self._origins = handler, watch, bucket, origins
        self._token, self._agents, self._admit = token, agents, admit
        self._app: ASGIApp = self._answer
        if origins:
            sent, exposed = SENT.split(", "), EXPOSED.split(", ")
            self._app = CORSMiddleware(
                self._answer, origins, _METHODS, sent, expose_headers=exposed, max_age=int(PREFLIGHT_SECONDS)
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            refuse_head(Request(scope, receive))
        except ProblemError as problem:
            await problem_response(problem, scope["path"])(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        with ExitStack() as admission:
            try:
                refuse_strangers(request, self._origins)
                refuse_keyless(request, self._token)
                if self._token:  # all who have it are one caller, also of the servers before and after this one
                    keys = (b"x-api-key", b"authorization")
                    unnamed = [header for header in scope["headers"] if header[0] not in keys]
                    request = Request({**scope, "headers": unnamed}, receive)
                response = await self._response(request, admission)
            except ClientDisconnect:
                return
            except Exception as error:
                response = problem_response(as_problem(error), scope["path"])
            response.headers.update(SECURITY_HEADERS)
            answer: ASGIApp = response
            if not scope["path"].startswith(ORIGINALS_PATH):  # a file of many megabytes would hold up the loop
                answer = GZipMiddleware(answer, COMPRESSED_FROM_BYTES)
            await answer(scope, receive, send)

    async def _response(self, request: Request, admission: ExitStack) -> Response:
        path = request.scope["path"]
        if self._bucket and path.startswith(UPLOADS_PATH):
            return await _receive_upload(self._bucket, path.removeprefix(UPLOADS_PATH), request)
        if self._bucket and path.startswith(ORIGINALS_PATH):
            return await _send_original(self._bucket, path.removeprefix(ORIGINALS_PATH), request)
        refuse_large(_length(request) or 0, path)
        body = await _body(request, max_body_bytes(path), BODY_SECONDS)
        if request.method == "POST" and _starts_question(path, body):
            admission.enter_context(self._admit())
            await _wait_for_lull()
        if self._agents and path == AGENTS_PATH and request.method == "POST":
            # The protocol's library takes a second to load.
            from selfrag_cli.local.serving.agents import AgentResponse

            return AgentResponse(self._agents, body)
        return await answer(self._handler, request, body, self._watch)


def _starts_question(path: str, body: bytes) -> bool:
    """Return whether a POST starts a question: by the API, or by the tool of agents."""
    if path != AGENTS_PATH:
        return path.rstrip("/") in ("/v1/ask", "/v1/questions", "/v1/chat/completions", "/v1/responses")
    try:
        call = json.loads(body)
        return bool(call["method"] == "tools/call" and call["params"]["name"] == "ask")
    except (ValueError, LookupError, TypeError, RecursionError):  # refused by the protocol's library
        return False


async def _wait_for_lull() -> None:
    """Wait until the loop has answered what came at the same time: the threads of a question hold it up."""
    loop = asyncio.get_running_loop()
    began = before = loop.time()
    while before - began < _LULL_SECONDS:
        await asyncio.sleep(_LOOK_SECONDS)
        now = loop.time()
        if now - before < 3 * _LOOK_SECONDS:
            return
        before = now


async def _send_original(bucket: DirectoryBucket, token: str, request: Request) -> Response:
    """Return a file as a download, or a PDF to display; it cannot run scripts at this address."""
    if request.method not in ("GET", "HEAD"):
        hint = "GET /v1/documents/{document_id}/original gives an address."
        allowed = {"Allow": "GET, HEAD"}
        raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, "This path takes GET and HEAD only.", hint, allowed)
    key, content, inline = await in_thread(bucket.original, token)
    policy = {"Content-Security-Policy": _POLICIES[inline], "Content-Disposition": disposition(key, inline)}
    media_type = "application/pdf" if inline else "application/octet-stream"
    return Response(content, headers={**_ORIGINAL_HEADERS, **policy}, media_type=media_type)


async def _receive_upload(bucket: DirectoryBucket, token: str, request: Request) -> Response:
    if request.method == "OPTIONS":
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=_UPLOADS)
    if request.method != "PUT":
        hint = "POST /v1/documents gives the address that takes a file."
        raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, "This path takes PUT and OPTIONS only.", hint, _UPLOADS)
    awaited, length = bucket.awaited(token), _length(request)
    if length is not None:
        check_size(awaited, length)
    content = await _body(request, awaited.size, UPLOAD_SECONDS)
    etag = await in_thread(bucket.put, token, content)
    return Response(status_code=HTTPStatus.NO_CONTENT, headers={"ETag": etag})


def _length(request: Request) -> int | None:
    length = request.headers.get("content-length")
    return None if length is None else int(length)


async def _body(request: Request, most: int, seconds: float) -> bytes:
    """Return the body, read up to just above `most` bytes; raises ProblemError.

    Long bodies are buffered in a file.
    """
    with SpooledTemporaryFile(MAX_BODY_BYTES) as body:
        try:
            async with asyncio.timeout(seconds):
                async for chunk in request.stream():
                    body.write(chunk)
                    if body.tell() > most:
                        break
        except TimeoutError:
            detail = f"The body did not come within {seconds:.0f} seconds."
            close = {"Connection": "close"}
            raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, detail, "Send it again, at once.", close) from None
        body.seek(0)
        return body.read()


@contextmanager
def serving(
    port: int,
    watch: Watch,
    bucket: Callable[[str], DirectoryBucket] | None = None,
    handler: Handler | None = None,
    origins: Collection[str] = (),
    token: str = "",
    agents: "Callable[[Handler], AgentService] | None" = None,
    admit: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Iterator[str]:
    """Serve HTTP on loopback for the block and yield the URL; the local stack must be running.

    `watch` waits for events of its executions. `bucket` creates the bucket for this URL, and `handler` replaces the
    deployed one. Pages of these `origins` and of the API itself may send requests; with a `token`, callers must send it
    as their key. `agents` creates the handler of the agents' tools. `admit` limits requests that start questions.
    Raises Misconfigured if the port is taken.
    """
    with listening(port) as bound:
        url = f"http://{HOST}:{bound.getsockname()[1]}"
        uploads, answers = bucket(url) if bucket else None, handler or threaded_handler()
        parts: bootstrap.Parts = {"uploads": uploads} if uploads else {}
        app = ServedApi(answers, watch, uploads, origins, token, agents and agents(answers), admit)
        with bootstrap.using(**parts), answering_http(bound, app):
            yield url
