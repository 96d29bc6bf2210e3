"""Other vendors' models on Bedrock: POST /model/ID/converse, held against botocore's own shapes, by kind of model.

The refusals are in the words of Bedrock's pages and of users' reports: no `toolChoice.tool` for Llama, no tools at all
for some, a limit of `maxTokens`, an id that needs an inference profile. The answers are those of the chat server.
"""

import json
from typing import Any, Literal
from urllib.parse import unquote

from botocore.loaders import create_loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from werkzeug.wrappers import Request, Response

from tests.support.doubles.chat_server import Body, ChatServer, step_of

Taken = Literal["forced", "offered", "none", "uncalled"]
NOVA, LLAMA, MISTRAL, SILENT = (
    "amazon.nova-pro-v1:0", "us.meta.llama3-3-70b-instruct-v1:0", "mistral.mistral-7b-instruct-v0:2",
    "us.deepseek.r1-v1:0",
)  # fmt: skip
# Each model's handling of a tool; `uncalled` accepts it and never calls it.
TOOLS: dict[str, Taken] = {NOVA: "forced", LLAMA: "offered", MISTRAL: "none", SILENT: "uncalled"}
_SHAPES = ServiceModel(create_loader().load_service_model("bedrock-runtime", "service-2"))
_OPERATION = _SHAPES.operation_model("Converse")


class ConverseServer(ChatServer):
    """A server of these models; `error` is a status, a code and a message by which it refuses every request."""

    def __init__(self, *, most_tokens: int = 10_000, **options: Any) -> None:
        super().__init__(**options)
        self.most_tokens = most_tokens
        self.error: tuple[int, str, str] | None = None
        self.bodies: list[Body] = []

    def _answer(self, request: Request) -> Response:
        if request.method == "GET":
            return _refused(404, "UnknownOperationException", "")
        body = json.loads(request.get_data())
        model, operation = unquote(request.path).removeprefix("/model/").split("/")
        assert operation == "converse"
        _check({"modelId": model, **body}, _OPERATION.input_shape)
        self.bodies.append(body)
        if self.error:
            return _refused(*self.error)
        if model not in TOOLS:
            return _refused(400, "ValidationException", "The provided model identifier is invalid.")
        refusal = self._refusal(body, TOOLS[model])
        if refusal:
            return _refused(400, "ValidationException", refusal)
        reply = self._conversed(model, body)
        _check(reply, _OPERATION.output_shape)
        return Response(json.dumps(reply), content_type="application/json")

    def _refusal(self, body: Body, takes: Taken) -> str:
        tools = body.get("toolConfig", {})
        if takes == "offered" and "tool" in tools.get("toolChoice", {}):
            return "This model doesn't support the toolConfig.toolChoice.tool field. Remove it and try again."
        if takes == "none" and tools:
            return "This model doesn't support tool use."
        if body["inferenceConfig"]["maxTokens"] > self.most_tokens:
            return f"The maximum tokens you requested exceeds the model limit of {self.most_tokens}. Try again."
        return "Input is too long for requested model." if _tokens(body) > self.window else ""

    def _conversed(self, model: str, body: Body) -> Body:
        chat: Body = {
            "model": model,
            "messages": [
                {"role": "system", "content": "\n\n".join(block["text"] for block in body["system"])},
                {"role": "user", "content": body["messages"][0]["content"][0]["text"]},
            ],
        }
        tool = body["toolConfig"]["tools"][0]["toolSpec"] if "toolConfig" in body else None
        if tool:
            chat["response_format"] = {"json_schema": {"schema": tool["inputSchema"]["json"]}}
        self.requests.append(chat)
        text = self._text(step_of(chat), chat)
        if tool and TOOLS[model] != "uncalled":
            called = {"toolUseId": "tooluse_1", "name": tool["name"], "input": json.loads(text)}
            content: list[Body] = [{"text": "<thinking>It says [9].</thinking>\n"}, {"toolUse": called}]
        else:
            reasoning = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
            content = [reasoning, {"text": self.spoil(chat, "It does." if tool else text)}]
        counts = {"inputTokens": _tokens(body), "outputTokens": 10, "totalTokens": _tokens(body) + 10}
        stop = {"stop": "tool_use" if tool else "end_turn"}.get(self.finish, self.finish)
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": stop,
            "usage": counts,
            "metrics": {"latencyMs": 1},
        }


def way_of(body: Body) -> str:
    """Return how a request asks for its verdict: by a forced tool, an offered one or words; "" for a text."""
    if "toolConfig" in body:
        return "forced" if "toolChoice" in body["toolConfig"] else "offered"
    return "words" if "Its JSON schema:" in str(body["system"]) else ""


def _tokens(body: Body) -> int:
    return len(json.dumps([body["system"], body["messages"]])) // 4


def _check(value: Any, shape: Any) -> None:
    report = ParamValidator().validate(value, shape)
    assert not report.has_errors(), report.generate_report()
    unknown = set(value) - set(shape.members)
    assert not unknown, f"Converse has no {unknown}"


def _refused(status: int, code: str, message: str) -> Response:
    headers = {"x-amzn-errortype": code}
    return Response(json.dumps({"message": message}), status, headers, content_type="application/json")
