"""Requests to the Messages API as the rules read them."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """A request that is answered with an error: its HTTP status, the error's type, and a message."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


def content_blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a message's content as blocks; a plain string is one text block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
