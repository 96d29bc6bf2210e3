"""Refusals of the Messages API, shared by its doubles."""

import re
from collections.abc import Mapping
from typing import Any

from tests.support.doubles.messages_api import Refusal, content_blocks
from tests.support.doubles.requests import is_current, output_format, takes_forced_tool

_SAMPLING = ("temperature", "top_p", "top_k")


def check(body: Any) -> None:
    """Raise Refused for a request that the service would refuse, or that this stand-in cannot answer."""
    if not isinstance(body, dict):
        raise Refusal("the body must be a JSON object")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Refusal("model: Field required")
    if type(body.get("max_tokens")) is not int or body["max_tokens"] < 1:
        raise Refusal("max_tokens: a positive integer is required")
    if body.get("stream"):
        raise Refusal("stream: this stand-in does not stream")
    _check_messages(body)
    if is_current(body["model"]):
        _check_for_current(body)
    if output_format(body) and any(_cites(block) for block in content_blocks(body["messages"][-1])):
        raise Refusal("output_config.format cannot be combined with citations")


def _check_messages(body: Mapping[str, Any]) -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refusal("messages: at least one message is required")
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise Refusal(f"messages.{number}.role: must be user or assistant")
        _check_blocks(message.get("content"), f"messages.{number}.content")
    if body.get("system") is not None:
        _check_blocks(body["system"], "system")


def _check_blocks(content: Any, where: str) -> None:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise Refusal(f"{where}: text or a list of content blocks is required")
    for number, block in enumerate(content):
        if not isinstance(block, dict):
            raise Refusal(f"{where}.{number}: must be an object")
        if block.get("type") == "search_result":
            if not all(isinstance(block.get(part), str) and block[part] for part in ("source", "title")):
                raise Refusal(f"{where}.{number}: a search_result needs a source and a title")
            _check_blocks(block.get("content"), f"{where}.{number}.content")
        elif block.get("type") != "text":
            raise Refusal(f"{where}.{number}: blocks of type {block.get('type')!r} are not known to this stand-in")
        elif not isinstance(block.get("text"), str) or not block["text"].strip():
            raise Refusal(f"{where}.{number}: text content blocks must be non-empty")


def _check_for_current(body: Mapping[str, Any]) -> None:
    sampling = [name for name in _SAMPLING if name in body]
    if sampling:
        raise Refusal(f"{sampling[0]}: sampling parameters are not supported by {body['model']}")
    forced = isinstance(body.get("tool_choice"), dict) and body["tool_choice"].get("type") in ("tool", "any")
    if forced and not takes_forced_tool(body["model"]):
        raise Refusal('tool_choice: type "tool" and "any" are not supported for this model')
    if body["messages"][-1]["role"] == "assistant":
        raise Refusal(f"messages: {body['model']} does not take an assistant message at the end")
    _check_thinking(body.get("thinking"), body["model"])


def _check_thinking(thinking: Any, model: str) -> None:
    """Raise Refused for a setting that a model of the 5 family does not have."""
    if not isinstance(thinking, dict):
        return
    kind, taken = thinking.get("type"), ["adaptive"]
    if re.search(r"claude-haiku-5|claude-(?:sonnet|opus)-5(?!-\d)", model):
        taken.append("disabled")
    if "claude-sonnet-5-5" in model:
        taken.append("between_tools")
    if kind not in taken:
        raise Refusal(
            f'"thinking.type.{kind}" is not supported for this model. Use "thinking.type.{taken[-1]}" and '
            '"output_config.effort" to control thinking behavior.'
        )


def _cites(block: Mapping[str, Any]) -> bool:
    citations = block.get("citations")
    return isinstance(citations, dict) and bool(citations.get("enabled"))
