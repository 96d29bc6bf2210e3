"""A loopback server of JSON, with errors in its service's own form."""

import json
from abc import ABC, abstractmethod
from typing import Any

from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

from tests.support.doubles.messages_api import Refusal
from tests.support.loopback import Loopback

MAX_BODY_BYTES = 32 * 1024 * 1024


class JsonServer(Loopback, ABC):
    """A context manager: inside it, the server answers at `url`."""

    def __init__(self) -> None:
        super().__init__(self._answer)

    @abstractmethod
    def respond(self, path: str, headers: Headers, body: Any) -> dict[str, Any]:
        """Return the reply to a POST of a JSON body; raises Refused. The names of headers have no case."""

    @abstractmethod
    def error(self, refused: Refusal) -> dict[str, Any]:
        """Return the body of an error, in the form of the service."""

    def _answer(self, request: Request) -> Response:
        try:
            if request.method != "POST":
                raise Refusal("Not Found", 404, "not_found_error")
            return _json(200, self.respond(request.path, request.headers, _body(request)))
        except Refusal as refused:
            return _json(refused.status, self.error(refused))
        except HTTPException:  # the client has disconnected
            raise
        except Exception as error:  # as a fault of the service
            return _json(500, self.error(Refusal(f"the rules failed: {type(error).__name__}", 500, "api_error")))


def _body(request: Request) -> Any:
    if request.content_length is None or request.content_length > MAX_BODY_BYTES:
        raise Refusal("a body with a content-length is required, of 32 MB at most", 413, "request_too_large")
    try:
        return json.loads(request.get_data())
    except (ValueError, RecursionError) as error:
        raise Refusal("the body is not valid JSON") from error


def _json(status: int, reply: dict[str, Any]) -> Response:
    return Response(json.dumps(reply), status, content_type="application/json")
