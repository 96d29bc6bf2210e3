"""Requests and replies of the Messages API."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from selfrag.domain.calls import ModelCall, Prices, cost_usd
from selfrag.ports.model import Cited, Flaw, Segment, Source, V

if TYPE_CHECKING:
    from anthropic.types import Message

_CUT = ("max_tokens", "model_context_window_exceeded")


def flaw_of(message: "Message") -> Flaw | None:
    """Return the flaw of a reply that the model refused or that was cut."""
    if message.stop_reason == "refusal":
        return "refused"
    return "cut" if message.stop_reason in _CUT else None


def verdict_in(message: "Message", shape: type[V], *, in_words: bool = False) -> V:
    """Return the verdict in a message; raises ValidationError for another shape.

    `in_words` allows for a fence around the JSON or a sentence before it.
    """
    # A reply of a 5.x model may begin with a thinking block: blocks are found by type, never by position.
    for block in message.content:
        if block.type == "tool_use":
            return shape.model_validate(block.input)
    text = "".join(block.text for block in message.content if block.type == "text")
    found = re.search(r"\{.*\}", text, re.DOTALL) if in_words else None
    return shape.model_validate_json(found[0] if found else text)


def has_called(message: "Message") -> bool:
    """Return whether a message calls a tool."""
    return any(block.type == "tool_use" for block in message.content)


def search_result(source: Source) -> dict[str, Any]:
    """Return a source as a block of a request, with citations on."""
    return {
        "type": "search_result",
        "source": source.name,
        "title": source.title or source.name,
        "content": [{"type": "text", "text": block} for block in source.blocks],
        "citations": {"enabled": True},
    }


def segment_of(block: Any) -> Segment:
    """Return a text block of a message, with its citations of search results."""
    found = [c for c in block.citations or () if c.type == "search_result_location"]
    return Segment(
        block.text, tuple(Cited(c.search_result_index, c.start_block_index, c.end_block_index) for c in found)
    )


def call_of(
    step: str, message: "Message", started: float, ended: float, prices: Mapping[str, Prices], asked: str = ""
) -> ModelCall:
    """Return the call behind a message, with its cost; it began and ended at these seconds since the epoch.

    Its price is that of the id that was `asked`: Bedrock's replies name the model without its group of regions.
    """
    usage = message.usage
    call = ModelCall(
        step=step,
        model=message.model,
        started_at=round(started, 4),
        ended_at=round(ended, 4),
        stop_reason=message.stop_reason or "",
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_input_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_input_tokens=usage.cache_creation_input_tokens or 0,
        cache_creation_1h_input_tokens=usage.cache_creation.ephemeral_1h_input_tokens if usage.cache_creation else 0,
    )
    priced = call.model_copy(update={"model": asked or call.model})
    return call.model_copy(update={"cost_usd": cost_usd(priced, prices)})
