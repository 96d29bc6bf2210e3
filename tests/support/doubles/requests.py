"""Requests to the Messages API as its doubles read them: the shape of the verdict that is asked for, by either way."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.support.doubles.messages_api import Refusal

_FIVE = re.compile(r"claude-(?:[a-z]+-)?5(?:\D|$)")


def is_current(model: str) -> bool:
    """Return whether a model id is of the 5 family, which refuses what older ones took."""
    return bool(_FIVE.search(model))


def takes_forced_tool(model: str) -> bool:
    """Return whether a model takes a forced tool choice: of the 5 family, Haiku and the first ones."""
    return not is_current(model) or bool(re.search(r"claude-haiku-5|claude-(?:sonnet|opus)-5(?!-\d)", model))


def output_format(body: Mapping[str, Any]) -> Any:
    """Return the format of the structured output that is asked for, or None."""
    config = body.get("output_config")
    return config.get("format") if isinstance(config, dict) else None


def forced_tool(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the tool that the reply must call, or None if none is forced."""
    choice, tools = body.get("tool_choice"), body.get("tools")
    if not isinstance(choice, dict) or choice.get("type") not in ("tool", "any"):
        return None
    wanted = choice.get("name")
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict) and (wanted is None or tool.get("name") == wanted):
            return tool
    raise Refusal("tool_choice: there is no such tool")


def schema_of(body: Mapping[str, Any]) -> Any:
    """Return the JSON schema of the verdict that a request asks for, in any way; None if it asks for text."""
    if body.get("tools"):
        return body["tools"][0].get("input_schema")
    asked = output_format(body)
    return asked.get("schema") if isinstance(asked, dict) else schema_in_words(body)


def schema_in_words(body: Mapping[str, Any]) -> Any:
    """Return the schema in the instruction after the rubric, None without one."""
    system = body.get("system")
    words = "".join(block["text"] for block in system[1:]) if isinstance(system, list) else ""
    return json.loads(words[words.index("{") :]) if "{" in words else None
