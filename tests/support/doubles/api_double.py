"""A loopback server that stands in for a deployed API: a document goes in, and is answered from."""

import json
import re

from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback

DOCUMENT = "0" * 32
STAGE = "/live"
NOT_THERE = {"status": 404, "detail": "There is no such thing."}


class ApiDouble(Loopback):
    """A context manager: inside it, the API answers at `endpoint`.

    Knobs: `status` is what becomes of a document, `unseen` how many questions are asked before it is found, `later`
    what becomes of a question for later, `warnings` are those of an answer, `page_type` is the type of the page,
    `garbled` are the ends of requests whose reply is no JSON, and `key` is the one that is let in
    ("" lets in all). `readable_from` is the origin whose page may read the bucket's replies ("" is the API's own).
    `asked` has every request, `headers` theirs, and `held` the document's text while it is there.
    """

    def __init__(self, key: str = "") -> None:
        self.is_healthy = True
        super().__init__(self._respond)
        self.endpoint = self.url + STAGE
        self.key = key
        self.status, self.later, self.unseen = "ready", "answered", 0
        self.garbled: tuple[str, ...] = ()
        self.page_type = "text/html"
        self.warnings: list[str] = []
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.held = ""
        self.readable_from = ""
        self._polls = 0

    def _respond(self, request: Request) -> Response:
        asked = f"{request.method} {request.path}"
        self.asked.append(asked)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if request.path == "/bucket":
            self.held = request.get_data().decode()
            return Response(status=200, headers={"access-control-allow-origin": self.readable_from or self.url})
        if asked.endswith(self.garbled):
            return Response("<html>")
        if self.key and request.headers.get("x-api-key") != self.key:
            return _json({"message": "Forbidden"}, 403)
        match asked.replace(STAGE, ""):
            case "GET /":
                return Response("<html></html>", content_type=self.page_type)
            case "GET /v1/health":
                healthy, failed = _json({"status": "ok"}), _json({"message": "Internal server error"}, 500)
                return healthy if self.is_healthy else failed
            case "POST /v1/documents":
                key = json.loads(request.get_data())["key"]
                target = {"method": "PUT", "url": f"{self.url}/bucket", "headers": {"If-None-Match": "*"}}
                return _json({"id": DOCUMENT, "key": key, "upload": target}, 201)
            case "POST /v1/ask":
                return _json(self._answer())
            case "POST /v1/questions":
                return Response(status=202, headers={"location": f"{STAGE}/v1/questions/1"})
            case "GET /v1/questions/1":
                self._polls += 1
                return _json(self._answer(self.later) if self._polls > 1 else {"status": "running"})
        if request.path.endswith(DOCUMENT) and self.held:
            shown = {
                "id": DOCUMENT,
                "status": self.status,
                "reason": "holds no words" if self.status == "failed" else "",
            }
            return _json(shown)
        return _json(NOT_THERE, 404)

    def _answer(self, status: str = "answered") -> dict[str, object]:
        phrase = re.search(r'"(.+)"', self.held)
        self.unseen -= 1
        seen = self.unseen < 0 and phrase
        return {
            "status": status if seen else "abstained",
            "answer": phrase[1] if seen and phrase else "Not found.",
            "usage": {"warnings": self.warnings},
            "execution": {"console_url": "https://eu-central-1.console.aws.amazon.com/states/home#/v2/x"},
        }


def _json(body: object, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
