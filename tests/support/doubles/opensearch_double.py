"""A loopback server that stands in for an OpenSearch Serverless vector collection, and is as strict as one.

Its refusals and statuses follow AWS's list of supported operations and users' reports: no custom ids, no upserts, no
refresh, no delete-by-query, no cluster API, and only requests signed for `aoss`. Every refusal is kept in `refused`.
"""

import json
import random
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from werkzeug.wrappers import Request, Response

from tests.support.doubles.opensearch_index import Document, Index, Json, Refused
from tests.support.doubles.sigv4 import BadSignature, verify
from tests.support.loopback import Loopback

ACCESS_KEY, SECRET_KEY, REGION = "AKIDEXAMPLE", "a-secret-that-opens-nothing", "us-east-1"
MAX_BODY_BYTES = 10 * 1024 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_OF_ONE_SEARCH = frozenset(("index_not_found_exception", "index_closed_exception", "search_phase_execution_exception"))
_CUSTOM_ID = "Document ID is not supported in create/index operation request"


@dataclass
class Knobs:
    """Faults, and the delay until writes are visible."""

    # How many searches a write, or an index that was just created, stays out of sight.
    searches_until_visible: int = 0
    requests_until_ready: int = 0
    # Statuses that the next requests are answered with, nothing being done.
    statuses: deque[int] = field(default_factory=deque)
    # Whether to run the next bulk and drop its reply.
    lose_next_reply: bool = False
    # How often an item of a bulk fails, and how; the dice are seeded.
    item_failure_rate: float = 0.0
    item_status: int = 429
    dice: random.Random = field(default_factory=lambda: random.Random(1))


class OpenSearchDouble(Loopback):
    """A context manager: inside it, the collection answers at `url`."""

    def __init__(self, keys: dict[str, str] | None = None) -> None:
        super().__init__(self._respond)
        self.keys = keys or {ACCESS_KEY: SECRET_KEY}
        self.knobs = Knobs()
        self.indices: dict[str, Index] = {}
        self.requests: list[tuple[str, str]] = []
        self.refused: list[tuple[str, str, int]] = []
        self.searches = self._born = self._waits = 0
        self._lock = threading.Lock()
        self.host = self.url.removeprefix("http://")

    def _respond(self, request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        status, reply = self.answer(request.method, request.environ["RAW_URI"], headers, request.get_data())
        if reply is None:
            raise ConnectionAbortedError
        text = "" if request.method == "HEAD" else json.dumps(reply)
        return Response(text, status, content_type="application/json")

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[int, Json | None]:
        """Return the status and the reply to one request; no reply means that the connection is closed."""
        with self._lock:
            path = urlsplit(target).path
            self.requests.append((method, path))
            try:
                verify(
                    method,
                    self.url + target,
                    headers,
                    body,
                    keys=self.keys,
                    region=REGION,
                    service="aoss",
                )
                if self.knobs.statuses:
                    return self.knobs.statuses.popleft(), {"message": "injected"}
                return self._route(method, path, parse_qs(urlsplit(target).query), body)
            except BadSignature as error:
                self.refused.append((method, path, 403))
                return 403, {"message": str(error)}
            except Refused as error:
                self.refused.append((method, path, error.status))
                cause = {"type": error.kind, "reason": error.reason}
                return error.status, {"error": {**cause, "root_cause": [cause]}, "status": error.status}

    def _route(self, method: str, path: str, query: dict[str, list[str]], body: bytes) -> tuple[int, Json | None]:
        if "refresh" in query:
            raise Refused(400, "illegal_argument_exception", f"{query['refresh'][0]} refresh policy is not supported.")
        if query:
            raise Refused(400, "illegal_argument_exception", f"unrecognized parameters: {sorted(query)}")
        if len(body) > MAX_BODY_BYTES:
            raise Refused(413, "content_too_long_exception", "the request is larger than 10 MiB")
        match [unquote(part) for part in path.strip("/").split("/")]:
            case [name] if _NAME.fullmatch(name) and method in ("PUT", "HEAD"):
                return self._create(name, body) if method == "PUT" else (200 if name in self.indices else 404, {})
            case [name] if method == "DELETE":
                self._index(name)
                del self.indices[name]
                return 200, {"acknowledged": True}
            case [name, "_mapping"] if method == "GET":
                return 200, {name: {"mappings": {"properties": self._index(name).fields}}}
            case [name, "_mapping"] if method == "PUT":
                self._index(name).put(_json(body))
                return 200, {"acknowledged": True}
            case [name, "_bulk"] if method == "POST":
                return self._bulk(name, body)
            case [name, "_msearch"] if method == "POST":
                self.searches += 1
                if not body.endswith(b"\n"):
                    raise Refused(400, "illegal_argument_exception", "The msearch request must end in a newline [\\n]")
                return 200, self._msearch(name, _ndjson(body))
            case [name, "_search"] if method == "POST":
                self.searches += 1
                return 200, self._search(self._index(name), _json(body))
            case [name, "_doc"] if method == "POST":
                return 201, self._store(self._index(name), _json(body))
            case [name, "_doc", service_id] if method == "DELETE":
                return self._delete(self._index(name), service_id)
            case [_, "_doc", _] if method == "PUT":
                raise Refused(400, "illegal_argument_exception", _CUSTOM_ID)
            case [_, "_create", _] if method in ("PUT", "POST"):
                raise Refused(400, "illegal_argument_exception", _CUSTOM_ID)
        # `POST _doc/ID`, `_refresh`, `_update`, `_delete_by_query`, `_cluster` and all else is not there.
        raise Refused(404, "not_found", "")

    def _index(self, name: str) -> Index:
        waits, self._waits = self._waits, max(self._waits - 1, 0)
        if name not in self.indices or waits:
            raise Refused(404, "index_not_found_exception", f"no such index [{name}]")
        return self.indices[name]

    def _create(self, name: str, body: bytes) -> tuple[int, Json]:
        if name in self.indices:
            raise Refused(400, "resource_already_exists_exception", f"index [{name}] already exists")
        self.indices[name] = Index(_json(body))
        self._waits = self.knobs.requests_until_ready
        return 200, {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _store(self, index: Index, source: Json) -> Json:
        index.check(source)
        self._born += 1
        # The service's own ids look like this, and must be escaped in a path.
        document = Document(f"1%3A0%3A{self._born:020x}", source, self._visible())
        index.store(document)
        return {"_id": document.id, "result": "created", "status": 201}

    def _visible(self) -> int:
        return self.searches + 1 + self.knobs.searches_until_visible

    def _bulk(self, name: str, body: bytes) -> tuple[int, Json | None]:
        index = self._index(name) if name in self.indices else None
        if not body.endswith(b"\n"):
            raise Refused(400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]")
        if not body.strip():
            raise Refused(400, "action_request_validation_exception", "Validation Failed: 1: no requests added;")
        items, lines = [], iter(_ndjson(body))
        for action in lines:
            kind = next(iter(action), "")
            if kind not in ("index", "create", "update", "delete"):
                raise Refused(400, "illegal_argument_exception", f"Malformed action/metadata line: [{kind}]")
            source = {} if kind == "delete" else next(lines, None)
            if source is None:
                raise Refused(400, "illegal_argument_exception", "an action has no source")
            items.append({kind: {"_index": name, **self._item(index, kind, action[kind], source)}})
        if self.knobs.lose_next_reply:
            self.knobs.lose_next_reply = False
            return 200, None
        return 200, {"took": 1, "errors": any("error" in v for i in items for v in i.values()), "items": items}

    def _item(self, index: Index | None, kind: str, meta: Json, source: Json) -> Json:
        # Early failures have no id.
        service_id = None
        try:
            if index is None:
                raise Refused(404, "index_not_found_exception", "no such index")
            if index.closed:
                raise Refused(400, "index_closed_exception", "closed")
            service_id = "1%3A0%3Anever-there"
            if kind not in ("index", "create"):
                raise Refused(400, "illegal_argument_exception", f"{kind} is not supported")
            if "_id" in meta:
                raise Refused(400, "illegal_argument_exception", _CUSTOM_ID)
            if self.knobs.dice.random() < self.knobs.item_failure_rate:
                raise Refused(self.knobs.item_status, "injected", "injected")
            return self._store(index, source)
        except Refused as error:
            self.refused.append(("POST", "_bulk item", error.status))
            return {"_id": service_id, "status": error.status, "error": {"type": error.kind, "reason": error.reason}}

    def _msearch(self, name: str, lines: list[Any]) -> Json:
        if not lines or len(lines) % 2:
            raise Refused(400, "illegal_argument_exception", "a search has a header and a body")
        return {"took": 1, "responses": [self._one_of_many(name, body) for body in lines[1::2]]}

    def _one_of_many(self, name: str, body: Any) -> Json:
        try:
            return {**self._search(self._index(name), body), "status": 200}
        except Refused as error:
            if error.kind not in _OF_ONE_SEARCH:
                raise  # one wrong search fails all
            if error.kind != "index_not_found_exception":
                self.refused.append(("POST", "_msearch item", error.status))
            return {"error": {"type": error.kind, "reason": error.reason}, "status": error.status}

    def _search(self, index: Index, body: Any) -> Json:
        found, total = index.search(body, self.searches)
        wanted = body.get("_source")
        hits = [
            {
                "_id": d.id,
                "_score": s,
                "_source": {k: v for k, v in d.source.items() if wanted is None or k in wanted},
                **({"sort": index.order(d, body["sort"])} if "sort" in body else {}),
            }
            for d, s in found
        ]
        shards = {"total": 0, "successful": 0, "skipped": 0, "failed": 0}
        top = max((h["_score"] for h in hits), default=None)
        return {
            "took": 1,
            "timed_out": False,
            "_shards": shards,
            "hits": {"total": total, "max_score": top, "hits": hits},
        }

    def _delete(self, index: Index, service_id: str) -> tuple[int, Json]:
        for document in index.documents:
            if document.id == service_id and document.until == float("inf"):
                document.until = self._visible()
                return 200, {"_id": service_id, "result": "deleted"}
        return 404, {"_id": service_id, "result": "not_found"}


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise Refused(400, "parse_exception", "the body is not JSON") from error


def _ndjson(body: bytes) -> list[Any]:
    return [_json(line) for line in body.splitlines()]
