"""Replies in the form of the Messages API: the rules' verdict or text in content blocks, with estimated tokens."""

import json
import math
import re
import uuid
from collections.abc import Mapping
from typing import Any

from selfrag.domain.verdicts import RULE_MODEL
from selfrag_cli.local.stand_in.steps import answer_of

_EAST_ASIAN = re.compile("[\u3000-\uffef]")


def reply_to(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply to a request that was checked; raises Refused for a step that no rule is for."""
    wanted = body.get("output_config", {}).get("format", {}).get("schema")
    answer = answer_of(body["messages"][-1], wanted)
    verdict = {"type": "text", "text": json.dumps(answer, ensure_ascii=False)}
    content = answer if isinstance(answer, list) else [verdict]
    sent = {name: body[name] for name in ("system", "messages", "output_config") if name in body}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": RULE_MODEL,
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
