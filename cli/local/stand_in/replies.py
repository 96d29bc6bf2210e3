"""Replies in the form of the Messages API: the rules' verdict or text in content blocks, with estimated tokens."""

import json
import math
import re
import uuid
from collections.abc import Mapping
from typing import Any

from cli.local.stand_in.messages import forced_tool, is_current, schema_of
from cli.local.stand_in.rules import answer_of
from selfrag.domain.verdicts import RULE_MODEL

_EAST_ASIAN = re.compile("[\u3000-\uffef]")

Block = dict[str, Any]


def reply_to(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply to a request that was checked; raises Refused for a step that no rule is for."""
    content = _content(body)
    called = any(block["type"] == "tool_use" for block in content)
    sent = {name: body[name] for name in ("system", "messages", "tools", "output_config") if name in body}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": RULE_MODEL,
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens(_text(sent)), "output_tokens": tokens(_text(content))},
    }


def tokens(text: str) -> int:
    """Return an estimate: four ASCII characters make a token, and so does one East Asian character or two others."""
    plain = len(text.encode("ascii", "ignore"))
    east_asian = len(_EAST_ASIAN.findall(text)) if plain < len(text) else 0
    return math.ceil(plain / 4 + east_asian + (len(text) - plain - east_asian) / 2)


def _content(body: Mapping[str, Any]) -> list[Block]:
    tool = forced_tool(body)
    answer = answer_of(body["messages"][-1], schema_of(body))
    if isinstance(answer, list):
        return answer
    if tool:
        return [{"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": tool["name"], "input": answer}]
    text: Block = {"type": "text", "text": json.dumps(answer, ensure_ascii=False)}
    # A model of the 5 family may think first, so readers of its replies have to expect that.
    thinking: Block = {"type": "thinking", "thinking": "Made by rule.", "signature": "none"}
    return [thinking, text] if is_current(body["model"]) else [text]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
