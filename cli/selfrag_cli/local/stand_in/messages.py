"""Requests to the Messages API as the rules read them."""

from typing import TypedDict, final


class Refusal(Exception):
    """A request that is answered with an error: its HTTP status, the error's type, and a message."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


class SearchResultLocation(TypedDict):
    """The citation of blocks of a search result."""

    type: str
    cited_text: str
    source: str
    title: str
    search_result_index: int
    start_block_index: int
    end_block_index: int


@final
class TextContent(TypedDict, total=False):
    """A text, with citations where it has been written from search results."""

    type: str
    text: str
    citations: list[SearchResultLocation]


@final
class SearchResultBlock(TypedDict):
    """A search result, of which a text may cite blocks."""

    type: str
    source: str
    title: str
    content: list[TextContent]


class RequestMessage(TypedDict):
    """A turn of a conversation."""

    role: str
    content: str | list[TextContent | SearchResultBlock]


def content_blocks(message: RequestMessage) -> list[TextContent | SearchResultBlock]:
    """Return a message's content as blocks; a plain string is one text block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
