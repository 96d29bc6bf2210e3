"""A loopback server that speaks the Messages API to the unmodified SDK and answers by rule.

It is no language model, and says so in every answer: it quotes sentences of the documents, and grades
by the words and the meaning that texts share. It refuses what the service refuses.
"""

from collections import deque
from email.message import Message
from typing import Any

from cli.local.offline.json_server import JsonServer
from cli.local.offline.replies import Replies
from cli.local.offline.strict import Refused, check

KEPT_REQUESTS = 200


class MessagesServer(JsonServer):
    """Claude's stand-in: give `url` to the SDK as its base URL, with any key."""

    def __init__(self) -> None:
        super().__init__()
        self._replies = Replies()
        self._requests: deque[dict[str, Any]] = deque(maxlen=KEPT_REQUESTS)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The last requests that were answered, oldest first."""
        return list(self._requests)

    def respond(self, path: str, headers: Message, body: Any) -> dict[str, Any]:
        """The reply to POST /v1/messages; raises Refused."""
        if path != "/v1/messages":
            raise Refused("Not Found", 404, "not_found_error")
        if not headers.get("x-api-key") and not headers.get("authorization"):
            raise Refused("x-api-key header is required", 401, "authentication_error")
        check(body)
        reply = self._replies.reply_to(body)
        self._requests.append(body)
        return reply

    def error(self, refused: Refused) -> dict[str, Any]:
        """An error in the service's form."""
        return {"type": "error", "error": {"type": refused.kind, "message": str(refused)}}
