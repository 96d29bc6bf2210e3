"""The Messages API by the rules' terms: a request's step and content, and the reply by rule."""

import json
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from selfrag.ports.model import Source, TextBlock
from selfrag_cli.local.stand_in.answers import generate
from selfrag_cli.local.stand_in.rules import RULES

Block = dict[str, Any]


class Refusal(Exception):
    """A request that is answered with an error: its HTTP status, the error's type, and a message."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


def content_blocks(message: Mapping[str, Any]) -> list[Block]:
    """Return a message's content as blocks; a plain string is one text block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def fields_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object in a message's last text block; raises Refused if there is none."""
    texts = [block["text"] for block in content_blocks(message) if "text" in block]
    try:
        fields = json.loads(texts[-1]) if texts else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise Refusal("this stand-in answers steps of selfrag only: the last text block must be a JSON object")
    return fields


def step_of(schema: Any) -> str:
    """Return the step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused.

    A shape's title is a word of its step's name: Utility is asked for by `grade_utility`.
    """
    if schema is None:
        return "generate"
    title = str(schema.get("title")).lower() if isinstance(schema, dict) else ""
    for step in RULES:
        if title in step.split("_"):
            return step
    raise Refusal(f"no rule is known for this schema; known are those of {', '.join(RULES)}")


def _written(message: Mapping[str, Any]) -> list[Block]:
    results = [block for block in content_blocks(message) if block["type"] == "search_result"]
    sources = [
        Source(result["source"], result["title"], tuple(block["text"] for block in result["content"]))
        for result in results
    ]
    return [_block(block, sources) for block in generate(fields_of(message), sources)]


def _block(block: TextBlock, sources: Sequence[Source]) -> Block:
    citations = [
        {
            "type": "search_result_location",
            "cited_text": "".join(sources[cited.source].blocks[cited.start_block : cited.end_block]),
            "source": sources[cited.source].name,
            "title": sources[cited.source].title,
            "search_result_index": cited.source,
            "start_block_index": cited.start_block,
            "end_block_index": cited.end_block,
        }
        for cited in block.citations
    ]
    return {"type": "text", "text": block.text, **({"citations": citations} if citations else {})}


def _limited_to(verdict: dict[str, object], schema: Mapping[str, Any]) -> Any:
    """Return a verdict in the fields that a schema names and no others, as the service gives it."""
    named = {name for shape in (schema, *schema.get("$defs", {}).values()) for name in shape.get("properties", {})}

    def prune(value: Any) -> Any:
        if isinstance(value, list):
            return [prune(item) for item in value]
        return (
            {name: prune(part) for name, part in value.items() if name in named} if isinstance(value, dict) else value
        )

    return prune(verdict)


_EAST_ASIAN = re.compile("[\u3000-\uffef]")


def reply_to(body: Mapping[str, Any]) -> dict[str, object]:
    """Return the reply to a request that was checked; raises Refused for a step that no rule is for."""
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    message = body["messages"][-1]
    if schema is None:
        content = _written(message)
    else:
        verdict = _limited_to(RULES[step_of(schema)](fields_of(message)), schema)
        content = [{"type": "text", "text": json.dumps(verdict, ensure_ascii=False)}]
    sent = {name: body[name] for name in ("system", "messages", "output_config") if name in body}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens(_text(sent)), "output_tokens": tokens(_text(content))},
    }


def tokens(text: str) -> int:
    """Return an estimate: four ASCII characters make a token, and so does one East Asian character or two others."""
    plain = len(text.encode("ascii", "ignore"))
    east_asian = len(_EAST_ASIAN.findall(text)) if plain < len(text) else 0
    return math.ceil(plain / 4 + east_asian + (len(text) - plain - east_asian) / 2)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
