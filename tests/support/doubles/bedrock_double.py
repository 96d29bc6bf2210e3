"""Claude on Bedrock: the Messages API at /model/ID/invoke, with each model's refusals.

The refusals are those that users reported of InvokeModel from July to November 2026, in their words:
anthropic-sdk-python #1759 and vercel/ai #17920 (`output_config.format`, `strict`), litellm #42717 (no forced tool, and
an offered tool that is not called), a vendor's page (`thinking`). The answers are the stand-in's.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from werkzeug.datastructures import Headers

from tests.support.doubles.json_server import JsonServer
from tests.support.doubles.messages_api import Refusal, reply_to
from tests.support.doubles.refusals import check
from tests.support.doubles.requests import output_format, schema_in_words

EXTRA = "The model returned the following errors: {}: Extra inputs are not permitted"
FORCED = 'The model returned the following errors: tool_choice: type "tool" and "any" are not supported for this model'
NO_TOOLS = "The model returned the following errors: tools: this model does not support tools"
# A model's id, its refusals, and the fallback for its verdicts.
STRUCTURED = "global.anthropic.claude-sonnet-5-5"
FORCEABLE = "us.anthropic.claude-haiku-5-5"
OFFERED = "us.anthropic.claude-opus-5-5"
TALKATIVE = "eu.anthropic.claude-fable-5-1"
TOOLLESS = "us.anthropic.claude-mythos-5-1"
REFUSES: dict[str, frozenset[str]] = {
    STRUCTURED: frozenset({"strict", "forced"}),
    FORCEABLE: frozenset({"format", "strict"}),
    OFFERED: frozenset({"format", "strict", "forced"}),
    # Takes the tool, and replies in text all the same.
    TALKATIVE: frozenset({"format", "strict", "forced", "calling"}),
    TOOLLESS: frozenset({"format", "forced", "tools"}),
}


class BedrockServer(JsonServer):
    """Bedrock's runtime; `refuses` has what each model refuses, by id.

    `requests` are all requests in their order, as (model, body, whether it was refused).
    """

    def __init__(self, refuses: Mapping[str, frozenset[str]] = REFUSES) -> None:
        super().__init__()
        self.requests: list[tuple[str, dict[str, Any], bool]] = []
        # Refuses every request: a status and a message.
        self.refusal: tuple[int, str] | None = None
        self._refuses = refuses

    def respond(self, path: str, headers: Headers, body: Any) -> dict[str, Any]:
        """Return the reply to POST /model/ID/invoke; raises Refused."""
        _, room, model, operation = path.split("/")
        if (room, operation) != ("model", "invoke"):
            raise Refusal("Not Found", 404)
        model = unquote(model)
        try:
            return self._reply(model, {**body, "model": model})
        except Refusal:
            self.requests.append((model, body, True))
            raise

    def error(self, refused: Refusal) -> dict[str, Any]:
        """Return an error in the service's form."""
        return {"message": str(refused)}

    def asked(self, model: str) -> list[tuple[dict[str, Any], bool]]:
        """Return the requests to a model, each with whether it was refused."""
        return [(body, refused) for asked, body, refused in self.requests if asked == model]

    def _reply(self, model: str, body: dict[str, Any]) -> dict[str, Any]:
        if self.refusal:
            raise Refusal(self.refusal[1], self.refusal[0])
        refuses = self._refuses.get(model)
        if refuses is None:
            raise Refusal("The provided model identifier is invalid.")
        _refuse(body, refuses)
        check(body)
        self.requests.append((model, body, False))
        reply = reply_to(_with_format(body))
        reply["model"] = model.rpartition("anthropic.")[2]
        if "cache_control" in str(body["system"]):
            reply["usage"]["cache_creation_input_tokens"] = 1000
        if "calling" in refuses and body.get("tools"):
            return {**reply, "content": [{"type": "text", "text": "It does: the passage says so."}]}
        return _as_called(body, reply)


def way_of(body: Mapping[str, Any]) -> str:
    """Return the way in which a request asks for a verdict; "" if it asks for text."""
    if output_format(body):
        return "json_schema"
    if body.get("tools"):
        return "forced_tool" if body.get("tool_choice") else "offered_tool"
    return "words" if schema_in_words(body) else ""


def _refuse(body: Mapping[str, Any], refuses: frozenset[str]) -> None:
    tools = body.get("tools") or []
    if "format" in refuses and output_format(body):
        raise Refusal(EXTRA.format("output_config.format"))
    for number, tool in enumerate(tools):
        if "strict" in refuses and "strict" in tool:
            raise Refusal(EXTRA.format(f"tools.{number}.custom.strict"))
    if "tools" in refuses and tools:
        raise Refusal(NO_TOOLS)
    if "forced" in refuses and body.get("tool_choice", {}).get("type") in ("tool", "any"):
        raise Refusal(FORCED)


def _with_format(body: dict[str, Any]) -> dict[str, Any]:
    """Return a request that asks for its verdict by a format, whichever way it asks."""
    tools = body.get("tools") or []
    schema = tools[0]["input_schema"] if tools else schema_in_words(body)
    return {**body, "output_config": {"format": {"schema": schema}}} if schema else body


def _as_called(body: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply that calls the tool, if the request has one; JSON in words has a fence around it."""
    text = reply["content"][-1].get("text", "")
    if body.get("tools"):
        called = {"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": json.loads(text)}
        return {**reply, "content": [called], "stop_reason": "tool_use"}
    if way_of(body) == "words":
        return {**reply, "content": [{"type": "text", "text": f"Here it is:\n```json\n{text}\n```"}]}
    return reply
