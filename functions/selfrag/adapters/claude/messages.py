"""Requests and replies of the Messages API.

Replies come from an untrusted server or proxy and are validated: JSON with usage figures, and text in valid UTF-8 no
longer than a model writes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from selfrag.adapters.claude.cost_budget import Kind
from selfrag.adapters.claude.profiles import TOOL
from selfrag.domain.calls import WRITE_FACTORS, ModelCall, Prices, cost_usd
from selfrag.ports.model import CitedBlocks, Flaw, Source, TextBlock, V

# The most bytes of a reply's content, as JSON in UTF-8. A model's longest reply (4,096 tokens) has about 16 KiB; the
# state of the workflow has room for 256 KiB, and holds up to four answers with their verdicts.
MAX_BYTES: dict[Kind, int] = {"answer": 32 * 1024, "verdict": 16 * 1024}
# Not of the Messages API: a server that read less than was sent.
TOO_LONG = "prompt_too_long"
_WINDOW = re.compile(r"context[ _](?:size|length|window)|too many tokens|(?:prompt|input)[^.\n]{0,40} too long", re.I)
_CUT = ("max_tokens", "model_context_window_exceeded")
_OBJECT_BEGINS = re.compile(r'\{\s*["}]')

_Tokens = Annotated[int, Field(ge=0, le=1_000_000_000)]
_Name = Annotated[str, Field(max_length=200)]
Life = Literal["5m", "1h"]

LIFE_SECONDS: dict[Life, float] = {"5m": 300.0, "1h": 3600.0}
# Safety margin for clock differences and call duration: a call in the last moments may miss the cache.
SURE = 0.95
# A cache read's share of the input price where no price is known.
USUAL_READ = 0.1
# The shortest prompt that is cached, in tokens; the service ignores a shorter one's mark. Longest matching name first.
SMALLEST_CACHEABLE = {
    "claude-haiku-5-5": 512,
    "claude-sonnet-5-5": 512,
    "claude-opus-5-5": 512,
    "claude-haiku-4-5": 4096,
    "claude-sonnet-4-6": 1024,
}
_SMALLEST = 1024
# Bytes of English for a token of a current model.
_BYTES_PER_TOKEN = 3


class _Part(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _CacheCreation(_Part):
    ephemeral_1h_input_tokens: _Tokens | None = None


class _Usage(_Part):
    input_tokens: _Tokens
    output_tokens: _Tokens
    cache_read_input_tokens: _Tokens | None = None
    cache_creation_input_tokens: _Tokens | None = None
    cache_creation: _CacheCreation | None = None


class _Text(_Part):
    text: str
    citations: list[Any] | None = None


class _Location(_Part):
    search_result_index: int
    start_block_index: int
    end_block_index: int


class Message(_Part):
    """A readable reply; `content` is None if it is no list, and is checked further by `content_of`."""

    model: _Name | None = None
    stop_reason: _Name | None = None
    usage: _Usage
    content: Annotated[list[Any] | None, BeforeValidator(lambda blocks: blocks if isinstance(blocks, list) else None)]


@dataclass(frozen=True)
class ReplyContent:
    """The content of a reply: its text in segments, and its tool calls, each a name and an input."""

    segments: tuple[TextBlock, ...] = ()
    calls: tuple[tuple[Any, Any], ...] = ()

    @property
    def text(self) -> str:
        """Return the text of all segments."""
        return "".join(segment.text for segment in self.segments)

    @property
    def ignores_verdict(self) -> bool:
        """Return whether the model ignored the requested verdict form.

        It called another tool, or wrote text without a JSON object. An empty reply is inconclusive.
        """
        if self.calls:
            return all(name != TOOL for name, _ in self.calls)
        return bool(self.text.strip()) and not _OBJECT_BEGINS.search(self.text)


def message_of(reply: object) -> Message | None:
    """Return a message of the SDK, or None if it is not readable."""
    try:
        return Message.model_validate(reply)
    except ValidationError:
        return None


def names_window(words: str) -> bool:
    """Return whether the words of a refusal say that a request is longer than the model's window."""
    return bool(_WINDOW.search(words))


def content_of(message: Message, kind: Kind) -> ReplyContent | None:
    """Return the content of a message, or None if it is malformed or too long; other types of blocks are left out."""
    try:
        segments = tuple(_segment_of(block) for block in _blocks(message, "text"))
        calls = tuple((block.name, block.input) for block in _blocks(message, "tool_use"))
        used = [[segment.text for segment in segments], calls]
        size = len(json.dumps(used, ensure_ascii=False).encode())
    except (ValueError, RecursionError):
        return None
    return ReplyContent(segments, calls) if size <= MAX_BYTES[kind] else None


def flaw_of(message: Message, content: ReplyContent | None) -> Flaw | None:
    """Return the flaw of a reply with this content, None if it has none."""
    if message.stop_reason == "refusal":
        return "refused"
    if message.stop_reason == TOO_LONG:
        return "too_long"
    return "malformed" if content is None else "cut" if message.stop_reason in _CUT else None


def verdict_in(content: ReplyContent, shape: type[V]) -> V:
    """Parse the verdict in a reply, also inside a fence or between words; raises ValidationError."""
    for name, arguments in content.calls:
        if name == TOOL:
            return shape.model_validate(arguments)
    return shape.model_validate_json(_json_object(content.text))


def _json_object(text: str) -> str:
    """Return the JSON object in a text, which may stand in a fence; the text itself if there is none."""
    in_fences = (piece.strip() for piece in text.split("```")[1::2])
    block = next((piece for piece in in_fences if piece.endswith("}")), text)
    return block[max(block.find("{"), 0) : block.rfind("}") + 1] or text


def search_result(source: Source) -> dict[str, object]:
    """Return a source as a block of a request, with citations on."""
    return {
        "type": "search_result",
        "source": source.name,
        "title": source.title or source.name,
        "content": [{"type": "text", "text": block} for block in source.blocks],
        "citations": {"enabled": True},
    }


def call_of(
    step: str, message: Message, started: float, ended: float, prices: Mapping[str, Prices], requested: str = ""
) -> ModelCall:
    """Return the call behind a message, with its cost; start and end are in seconds since the epoch.

    The price is that of the `requested` id: Bedrock's replies omit the region group.
    """
    usage = message.usage
    creation = usage.cache_creation or _CacheCreation()
    call = ModelCall(
        step=step,
        model=message.model or requested,
        started_at=round(started, 4),
        ended_at=round(ended, 4),
        stop_reason=message.stop_reason or "",
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_input_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_input_tokens=usage.cache_creation_input_tokens or 0,
        cache_creation_1h_input_tokens=creation.ephemeral_1h_input_tokens or 0,
    )
    priced = call.model_copy(update={"model": requested or call.model})
    return call.model_copy(update={"cost_usd": cost_usd(priced, prices)})


def _blocks(message: Message, kind: str) -> list[Any]:
    # A reply of a 5.x model may begin with a thinking block: blocks are found by type, never by position.
    return [block for block in message.content or () if getattr(block, "type", None) == kind]


def _segment_of(block: Any) -> TextBlock:
    """Return a text block with its citations of search results; raises ValidationError."""
    text = _Text.model_validate(block)
    locations = [
        _Location.model_validate(citation)
        for citation in text.citations or ()
        if getattr(citation, "type", None) == "search_result_location"
    ]
    cited = [CitedBlocks(at.search_result_index, at.start_block_index, at.end_block_index) for at in locations]
    return TextBlock(text.text, tuple(cited))


def mark_for(
    prompt: str, model: str, intervals: Sequence[float], price: Prices | None, *, hour: bool = True
) -> dict[str, str] | None:
    """Return a prompt's `cache_control` by the intervals of its last calls; None if caching does not pay.

    Without `hour` the model caches for five minutes only.
    """
    smallest = next((tokens for name, tokens in SMALLEST_CACHEABLE.items() if name in model), _SMALLEST)
    is_free = price is not None and not price[0]  # a local model
    if is_free or len(prompt.encode()) < smallest * _BYTES_PER_TOKEN:
        return None
    life = cheapest_life(intervals, price[2] / price[0] if price else USUAL_READ)
    if life == "1h" and not hour:
        return None
    return None if life is None else {"type": "ephemeral"} if life == "5m" else {"type": "ephemeral", "ttl": life}


def cheapest_life(intervals: Sequence[float], read: float) -> Life | None:
    """Return the prompt cache's cheapest time to live, None for no cache mark.

    `read` is the price of a cache read relative to input. Intervals shorter than a life count as reads, longer ones as
    writes. Ties prefer no mark, then the shorter life. Without intervals there is no mark.
    """
    if not intervals:
        return None
    costs: dict[Life | None, float] = {None: 1.0}
    for life, seconds in LIFE_SECONDS.items():
        reads = sum(interval < SURE * seconds for interval in intervals) / len(intervals)
        costs[life] = reads * read + (1 - reads) * WRITE_FACTORS[life]
    return min(costs, key=lambda life: costs[life])
