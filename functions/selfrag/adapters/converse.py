"""Other vendors' models on Bedrock, by its Converse API.

Requests and replies are translated from and to those of the Messages API. Few of these models have citations: sources
are sent as numbered sentences, and the markers of the reply are its citations (numbered_sentences.py).
"""

import re
from functools import cache
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError
from typing_extensions import override

from selfrag.adapters.claude.messages import TOO_LONG, Message, message_of, names_window
from selfrag.adapters.claude.profiles import MessagesRequest, Profile
from selfrag.adapters.clients import bedrock_client
from selfrag.adapters.faults import code_of, to_typed
from selfrag.adapters.model import ServiceModel, unreadable_error
from selfrag.adapters.numbered_sentences import strip_thoughts, user_text
from selfrag.adapters.outbound import checked_url, http_client_for, read_json
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.runtime.pace import RequestFailure
from selfrag.runtime.settings import Settings

# Nova and Mistral take a forced tool, Llama one that it may call. Some of them think, and their thoughts are counted.
_PROFILE = Profile(("forced_tool", "offered_tool", "words"), effort=None, thinking=None, thinks=True, hour=False)
_STOPS = {"content_filtered": "refusal", "guardrail_intervened": "refusal"}
_MALFORMED = ("malformed_model_output", "malformed_tool_use")
# ValidationExceptions of the id and of `maxTokens`.
_NO_MODEL = re.compile(r"model identifier|inference profile|on-demand throughput", re.I)
_MAX_TOKENS = re.compile(r"exceeds the model limit of ([1-9]\d{1,8})")


class ConverseClient:
    """The clients of a region, one per timeout: boto3 sets timeouts per client, not per request."""

    def __init__(self, region: str | None, seconds: float, endpoint_url: str | None) -> None:
        self.within = cache(lambda whole_seconds: bedrock_client(region, whole_seconds, endpoint_url))
        self.base_url: str = self.within(max(1, int(seconds))).meta.endpoint_url


class ConverseModel(ServiceModel):
    """A model of the Converse API."""

    @staticmethod
    @override
    def connect(config: Settings, key: str, region: str | None = None) -> ConverseClient:
        if config.model_base_url:
            checked_url(config.model_base_url, "SELFRAG_MODEL_BASE_URL")
        return ConverseClient(region, config.model_timeout_seconds, config.model_base_url)

    @staticmethod
    @override
    def profile(model: str) -> Profile:
        return _PROFILE

    @staticmethod
    @override
    def read(client: ConverseClient, path: str) -> Any:
        return read_json(http_client_for(client.base_url), client.base_url + path)

    @override
    def _create(self, request: MessagesRequest, max_tokens: int, seconds: float) -> Message:
        model, client = request["model"], self._client.within(max(1, int(seconds)))
        try:
            message = _message_of(model, client.converse(**converse_request(request, max_tokens)))
        except ClientError as error:
            words = str(error) if code_of(error) == "ValidationException" else ""
            if (limit := _MAX_TOKENS.search(words)) and int(limit[1]) <= max_tokens:
                return self._create(request, int(limit[1]) - 1, seconds)
            if names_window(words):
                return Message.model_validate({"stop_reason": TOO_LONG, "usage": _usage(0, 0), "content": []})
            if _NO_MODEL.search(words):
                raise Misconfigured(f"Bedrock has no {model} here, or only by an inference profile") from error
            failure = to_typed(error, model)
            if not isinstance(failure, TemporarilyUnavailable):
                raise failure from error
            raise RequestFailure(failure, throttled=code_of(error) == "ThrottlingException") from error
        except (BotoCoreError, ResponseParserError) as error:
            self._cost_budget.book_loss()
            failure = to_typed(error, model)
            raise (RequestFailure(failure) if isinstance(failure, TemporarilyUnavailable) else failure) from error
        if message is None:
            self._cost_budget.book_loss()
            raise unreadable_error(model)
        return message


def converse_request(request: MessagesRequest, max_tokens: int) -> dict[str, Any]:
    """Return a request of the Messages API as one of Converse; marks of the prompt cache are left out."""
    body: dict[str, Any] = {
        "modelId": request["model"],
        "system": [{"text": block["text"]} for block in request["system"]],
        "messages": [{"role": "user", "content": [{"text": user_text(request)}]}],
        "inferenceConfig": {"maxTokens": max_tokens},
    }
    for tool in request.get("tools", ()):
        specification = {"name": tool["name"], "description": tool["description"]}
        specification["inputSchema"] = {"json": tool["input_schema"]}
        body["toolConfig"] = {"tools": [{"toolSpec": specification}]}
        if "tool_choice" in request:
            body["toolConfig"]["toolChoice"] = {"tool": {"name": tool["name"]}}
    return body


def _message_of(model: str, reply: dict[str, Any]) -> Message | None:
    """Return a reply as a message of the Messages API, without thoughts; None if it is not readable."""
    stop, usage = reply.get("stopReason", ""), reply.get("usage", {})
    blocks = [] if stop in _MALFORMED else reply.get("output", {}).get("message", {}).get("content", [])
    text = strip_thoughts("".join(block["text"] for block in blocks if "text" in block))
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    content = [SimpleNamespace(type="tool_use", name=call.get("name"), input=call.get("input")) for call in calls]
    return message_of(
        {
            "model": model,
            "stop_reason": _STOPS.get(stop, stop),
            "usage": _usage(usage.get("inputTokens"), usage.get("outputTokens"), usage.get("cacheReadInputTokens")),
            "content": [SimpleNamespace(type="text", text=text), *content],
        }
    )


def _usage(tokens: int | None, output: int | None, cached: int | None = None) -> dict[str, int | None]:
    return {"input_tokens": tokens, "output_tokens": output, "cache_read_input_tokens": cached}
