"""What a reply of Claude says: its flaw, its verdict, its text with citations, and what it cost."""

import time
from typing import Any

from anthropic.types import Message

from selfrag.domain.calls import ModelCall
from selfrag.ports.model import Cited, Flaw, Segment, V

_CUT = ("max_tokens", "model_context_window_exceeded")


def flaw_of(message: Message) -> Flaw | None:
    """Why a reply is of no use, if its reason to stop says so."""
    if message.stop_reason == "refusal":
        return "refused"
    return "cut" if message.stop_reason in _CUT else None


def verdict_of(message: Message, shape: type[V]) -> V:
    """The verdict of a reply, from a tool call or from text; raises ValidationError if it has another shape."""
    # A reply of a 5.x model may begin with a thinking block: blocks are found by type, never by position.
    for block in message.content:
        if block.type == "tool_use":
            return shape.model_validate(block.input)
    text = "".join(block.text for block in message.content if block.type == "text")
    return shape.model_validate_json(text)


def segment_of(block: Any) -> Segment:
    """A text block with the places in the search results that it cites."""
    found = [c for c in block.citations or () if c.type == "search_result_location"]
    return Segment(
        block.text, tuple(Cited(c.search_result_index, c.start_block_index, c.end_block_index) for c in found)
    )


def call_of(step: str, message: Message, started: float) -> ModelCall:
    """What a reply to a request that was sent at `started` (seconds since the epoch) cost."""
    usage = message.usage
    return ModelCall(
        step=step,
        model=message.model,
        started_at=round(started, 4),
        ended_at=round(time.time(), 4),
        stop_reason=message.stop_reason or "",
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_input_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_input_tokens=usage.cache_creation_input_tokens or 0,
    )
