"""The offline stand-in over HTTP, for callers with a base URL: a deployment in the emulator, and the SDK."""

import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from werkzeug.datastructures import Headers

from selfrag.ports.web import Domains
from selfrag_cli.local.stand_in.web import search_pages
from tests.support.doubles.json_server import JsonServer
from tests.support.doubles.messages_api import Refusal, reply_to, step_of
from tests.support.doubles.refusals import check
from tests.support.doubles.requests import forced_tool, is_current, output_format, schema_of

KEPT_REQUESTS = 200
_MAX_RESULTS, _USUAL_RESULTS = 20, 5


class MessagesServer(JsonServer):
    """Claude's stand-in: give `url` to the SDK as its base URL, with any key."""

    def __init__(self) -> None:
        super().__init__()
        self._requests: deque[dict[str, Any]] = deque(maxlen=KEPT_REQUESTS)
        self._refused = self._stalled = ""
        self._ended = Event()

    @contextmanager
    def faults(self, *, refused: str = "", stalled: str = "") -> Iterator[None]:
        """In the block, the model refuses the requests of a step, and is silent to those of another."""
        self._refused, self._stalled = refused, stalled
        self._ended.clear()
        yield
        self._refused = self._stalled = ""
        self._ended.set()

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Return the last requests that were answered, oldest first."""
        return list(self._requests)

    def respond(self, path: str, headers: Headers, body: Any) -> dict[str, Any]:
        """Return the reply to POST /v1/messages; raises Refused."""
        if path != "/v1/messages":
            raise Refusal("Not Found", 404, "not_found_error")
        if not headers.get("x-api-key") and not headers.get("authorization"):
            raise Refusal("x-api-key header is required", 401, "authentication_error")
        check(body)
        step = step_of(schema_of(body))
        if step == self._stalled:
            self._ended.wait()
        reply = _as_told_by(body, reply_to(_with_format(body)))
        self._requests.append(body)
        return {**reply, "content": [], "stop_reason": "refusal"} if step == self._refused else reply

    def error(self, refused: Refusal) -> dict[str, Any]:
        """Return an error in the service's form."""
        return {"type": "error", "error": {"type": refused.kind, "message": str(refused)}}


def _with_format(body: dict[str, Any]) -> dict[str, Any]:
    """Return a request that asks for its verdict by a format, though it forces a tool."""
    tool = forced_tool(body)
    return {**body, "output_config": {"format": {"schema": tool["input_schema"]}}} if tool else body


def _as_told_by(body: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply as a model of the request's family gives it: a tool that is called, or a thought before it."""
    if tool := forced_tool(body):
        verdict = json.loads(reply["content"][0]["text"])
        called = {"type": "tool_use", "id": reply["id"].replace("msg", "toolu"), "name": tool["name"], "input": verdict}
        return {**reply, "content": [called], "stop_reason": "tool_use"}
    if output_format(body) and is_current(body["model"]):
        # Readers of replies have to expect that a model of the 5 family thinks first.
        thinking = {"type": "thinking", "thinking": "Made by rule.", "signature": "none"}
        return {**reply, "content": [thinking, *reply["content"]]}
    return reply


class WebServer(JsonServer):
    """Tavily's stand-in over the pages of a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def respond(self, path: str, headers: Headers, body: Any) -> dict[str, Any]:
        """Return the reply to POST /search; raises Refused."""
        if path != "/search":
            raise Refusal("Not Found", 404)
        if not (headers.get("authorization") or "").removeprefix("Bearer ").strip():
            raise Refusal("Unauthorized: missing or invalid API key.", 401)
        if not isinstance(body, dict):
            raise Refusal("the body must be a JSON object")
        query, included = body["query"], body.get("include_domains") or ()
        if not query.strip():
            raise Refusal("the query must not be empty")
        wanted = body.get("max_results", _USUAL_RESULTS)
        if type(wanted) is not int or not 0 <= wanted <= _MAX_RESULTS:
            raise Refusal(f"max_results must be a number from 0 to {_MAX_RESULTS}")
        return search_pages(self._folder, query, wanted, Domains(included=tuple(included)))

    def error(self, refused: Refusal) -> dict[str, Any]:
        """Return an error in the service's form."""
        return {"detail": {"error": str(refused)}}
