"""Cross-origin requests to the served API: from no page but those that `selfrag serve --cors` names.

What a browser asks before a request, and what it wants to hear, is the Fetch standard's CORS protocol.
"""

import re
from collections.abc import Collection, Iterable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from selfrag.api.edge.cors import EVERY, may_ask, shown_to_pages
from selfrag.api.edge.problems import ProblemError
from selfrag.domain.errors import InvalidInput

# As a browser writes it: no path, no blank, nothing in capitals.
_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_READING = ("GET", "HEAD", "OPTIONS")


def origins_of(named: Iterable[str]) -> frozenset[str]:
    """Return the origins that are named; raises InvalidInput for what no browser would name so."""
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


def opened(request: Request, response: Response, origins: Collection[str]) -> Response:
    """Return the response with what lets a page of a named origin read it, or send what it has asked about."""
    is_preflight = request.method == "OPTIONS" and "access-control-request-method" in request.headers
    allow = response.headers.get("Allow", "")
    shown = shown_to_pages(request.headers.get("origin", ""), is_preflight, allow, origins)
    if varies := shown.pop("Vary", ""):
        response.headers.add_vary_header(varies)
    response.headers.update(shown)
    return response
