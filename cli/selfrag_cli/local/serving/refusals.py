"""Refusals of the server on loopback before the API sees a request, as the API's problems."""

import hmac
import re
import uuid
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from selfrag.api.edge.cors import SECURITY_HEADERS
from selfrag.api.edge.problems import ProblemRaised, respond
from selfrag_cli.local.serving.bucket import ORIGINALS_PATH, UPLOADS_PATH

MAX_LINE_BYTES = MAX_HEADERS_BYTES = 64 * 1024
# What is open without the server's token: the page, which has no data, and addresses that hold a token of their own.
_OPEN, _OPEN_BELOW = ("/", "/v1/health", "/v1/openapi.json"), (UPLOADS_PATH, ORIGINALS_PATH)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def problem_response(problem: ProblemRaised) -> Response:
    """Return the response of a problem, with an id of its own."""
    request_id = str(uuid.uuid4())
    told = respond(problem, request_id)
    headers = {
        **SECURITY_HEADERS,
        **problem.headers,
        "X-Request-Id": request_id,
        "Content-Type": str(told.content_type),
    }
    return Response(told.body, told.status_code, headers)


def refuse_head(request: Request) -> None:
    """Raise ProblemRaised for a line or headers that are too long, and for the name of another machine."""
    if len(request.scope["raw_path"]) + len(request.scope["query_string"]) > MAX_LINE_BYTES:
        detail = f"The address has more than {MAX_LINE_BYTES:,} bytes."
        raise ProblemRaised(HTTPStatus.REQUEST_URI_TOO_LONG, detail, "Put what is long into the body.")
    if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADERS_BYTES:
        detail = f"The headers have more than {MAX_HEADERS_BYTES:,} bytes."
        raise ProblemRaised(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail, "Send fewer of them.")
    # A page whose host name was made to lead here: a browser would let it read the answers.
    if re.sub(r":\d*$", "", request.headers.get("host", LOOPBACK[0]).lower()) not in LOOPBACK:
        detail = "This server is asked under the name of this machine only."
        raise ProblemRaised(HTTPStatus.FORBIDDEN, detail, "Ask http://127.0.0.1.")


def refuse_keyless(request: Request, token: str) -> None:
    """Raise ProblemRaised if a server with a token is asked for what is not open to everybody, and not by its token.

    A browser's preflight has no key, and gets no data.
    """
    path = request.scope["path"]
    if not token or path in _OPEN or path.startswith(_OPEN_BELOW) or request.method == "OPTIONS":
        return
    key = request.headers.get("x-api-key", "")
    if not hmac.compare_digest(key.encode(), token.encode()):
        detail = "The key is not this server's token." if key else "This server wants its token as the key."
        hint = "Open the link that `selfrag serve` has printed, or send its token in the header x-api-key."
        raise ProblemRaised(HTTPStatus.UNAUTHORIZED, detail, hint, {"WWW-Authenticate": 'ApiKey realm="selfrag"'})
