"""The service's reply to a request: the rules' verdict or text in content blocks, with an estimate of the tokens."""

import json
import math
import re
import uuid
from collections.abc import Mapping
from threading import Lock
from typing import Any

from cli.local.offline.messages import forced_tool, is_current, schema_of
from cli.local.offline.rules import answer_of

MODEL = "selfrag-offline"
NOT_A_MODEL = "This reply was made by rule, not by a language model."
SMALLEST_CACHED_TOKENS = 512
_REMEMBERED_PROMPTS = 1000
_EAST_ASIAN = re.compile("[\u3000-\uffef]")

Block = dict[str, Any]


class Replies:
    """Makes replies; remembers which prompts it was sent to be cached, and nothing else."""

    def __init__(self) -> None:
        self._prompts: dict[str, None] = {}
        self._lock = Lock()

    def reply_to(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request that was checked; raises Refused for a step that no rule is for."""
        content = _content(body)
        called = any(block["type"] == "tool_use" for block in content)
        return {
            "id": f"msg_{uuid.uuid4().hex[:24]}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": content,
            "stop_reason": "tool_use" if called else "end_turn",
            "stop_sequence": None,
            "usage": self._usage(body, content),
        }

    def _usage(self, body: Mapping[str, Any], content: list[Block]) -> dict[str, int]:
        prefix = _cached_prefix(body)
        cached = tokens(prefix) if tokens(prefix) > SMALLEST_CACHED_TOKENS else 0
        with self._lock:
            known = prefix in self._prompts
            if cached and not known and len(self._prompts) < _REMEMBERED_PROMPTS:
                self._prompts[prefix] = None
        sent = {name: body[name] for name in ("system", "messages", "tools", "output_config") if name in body}
        return {
            "input_tokens": max(1, tokens(_text(sent)) - cached),
            "output_tokens": max(1, tokens(_text(content))),
            "cache_creation_input_tokens": 0 if known else cached,
            "cache_read_input_tokens": cached if known else 0,
        }


def tokens(text: str) -> int:
    """An estimate: four ASCII characters make a token, and so does one East Asian character or two others."""
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
    # A model of the 5 family may think first, and whoever reads its reply has to expect that.
    thinking: Block = {"type": "thinking", "thinking": NOT_A_MODEL, "signature": "none"}
    return [thinking, text] if is_current(body["model"]) else [text]


def _cached_prefix(body: Mapping[str, Any]) -> str:
    """What the request asks to be cached: its tools and the system blocks up to the last that is marked."""
    system = body.get("system")
    blocks = system if isinstance(system, list) else []
    marked = [number for number, block in enumerate(blocks) if block.get("cache_control")]
    if not marked:
        return ""
    return _text([body["model"], body.get("tools"), [block["text"] for block in blocks[: marked[-1] + 1]]])


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
