"""Ollama, llama.cpp and vLLM at /v1/chat/completions, each with its own ignored settings and errors.

By their own pages and sources: Ollama cuts a prompt to its window without a word and has `reasoning_effort` "none";
llama.cpp ignores the effort and refuses a long prompt; vLLM refuses both an unknown effort and a long prompt.
"""

import json
import re
from collections.abc import Callable
from threading import Lock
from typing import Any, Literal

from werkzeug.wrappers import Request, Response

from tests.support.doubles import messages_api
from tests.support.doubles import requests as claude_requests
from tests.support.doubles.model_server import GOOD
from tests.support.loopback import Loopback

Body = dict[str, Any]
Kind = Literal["ollama", "llama.cpp", "vllm"]
KINDS: tuple[Kind, ...] = ("ollama", "llama.cpp", "vllm")
_FIELDS = {"model", "messages", "max_tokens", "response_format", "reasoning_effort"}
_SENTENCE = re.compile(r"^\[(\d+)\] (.+)$", re.M)


class ChatServer(Loopback):
    """A server of one kind; `spoil(body, text)` changes a reply that nothing binds.

    `schemas` says what becomes of `response_format`: the reply is bound to it, or it is "ignored" or "rejected".
    """

    def __init__(
        self,
        kind: Kind = "llama.cpp",
        *,
        schemas: Literal["enforced", "ignored", "rejected"] = "enforced",
        window: int = 32_768,
        spoil: Callable[[Body, str], str] = lambda body, text: text,
        finish: str = "stop",
        model: str = "qwen3:8b",
        decider: Callable[[Request], Response] | None = None,
    ) -> None:
        super().__init__(self._respond)
        self.kind, self.schemas, self.window, self.spoil, self.finish = kind, schemas, window, spoil, finish
        self._model, self._decider = model, decider
        self.requests: list[Body] = []
        self.keys: list[str | None] = []
        self.most_at_once, self._at_work, self._lock = 0, 0, Lock()
        self.answers: dict[str, Callable[[Body], Any]] = {}

    def asked(self, step: str) -> list[Body]:
        return [body for body in self.requests if step_of(body) == step]

    def _respond(self, request: Request) -> Response:
        with self._lock:
            self._at_work += 1
            self.most_at_once = max(self.most_at_once, self._at_work)
        try:
            return self._answer(request)
        finally:
            with self._lock:
                self._at_work -= 1

    def _answer(self, request: Request) -> Response:
        if request.method == "GET":
            return self._listed(request.path)
        if request.path == "/v1/systemone" and self._decider:
            return self._decider(request)
        if request.path == "/v1/messages" and self.kind != "ollama":
            return self._message(json.loads(request.get_data()))
        if request.path != "/v1/chat/completions":
            status = 501 if (request.path, self.kind) == ("/v1/systemone", "llama.cpp") else 404
            return _error(status, "404 page not found")
        body = json.loads(request.get_data())
        assert set(body) <= _FIELDS, "a field that no server has"
        assert all(set(message) == {"role", "content"} for message in body["messages"])
        self.requests.append(body)
        self.keys.append(request.headers.get("authorization"))
        if body["model"] != self._model:
            return _error(404, f'model "{body["model"]}" not found, try pulling it first')
        if self.kind == "vllm" and body.get("reasoning_effort") not in (None, "low", "medium", "high"):
            return _error(400, "[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort')}]")
        if self.schemas == "rejected" and "response_format" in body:
            return _error(400, "Unsupported value: 'response_format'")
        tokens = sum(len(message["content"]) for message in body["messages"]) // 4
        if tokens > self.window and self.kind == "llama.cpp":
            words = f"request ({tokens} tokens) exceeds the available context size ({self.window} tokens)"
            return _error(400, words, "exceed_context_size_error")
        if tokens > self.window and self.kind == "vllm":
            return _error(400, f"This model's maximum context length is {self.window} tokens.", "BadRequestError")
        return _json(200, self._reply(body, min(tokens, self.window)))

    def _listed(self, path: str) -> Response:
        """Return the list of models; vLLM and llama.cpp name the window there, Ollama in the list of loaded models."""
        entry: Body = {"id": self._model, "object": "model", "created": 1, "owned_by": self.kind}
        if self.kind == "vllm":
            entry["max_model_len"] = self.window
        if self.kind == "llama.cpp":
            entry["meta"] = {"n_ctx": self.window, "n_ctx_train": 8192, "n_params": 134_515_008}
        loaded = {"name": self._model, "model": self._model, "size": 1, "context_length": self.window}
        if path == "/v1/models":
            return _json(200, {"object": "list", "data": [entry]})
        if (path, self.kind) == ("/api/ps", "ollama"):
            return _json(200, {"models": [loaded]})
        return _error(404, "404 page not found")

    def _message(self, body: Body) -> Response:
        """Reply as the Messages endpoint of llama.cpp, which reads text alone and ignores schemas, or as vLLM's."""
        self.requests.append(body)
        if self.kind == "vllm" and "search_result" in str(body["messages"]):
            return _error(400, "[{'type': 'literal_error', 'loc': ('body', 'messages', 0, 'content', 0, 'type')}]")
        texts = [block["text"] for block in body["messages"][0]["content"] if block["type"] == "text"]
        tokens = sum(map(len, [*(block["text"] for block in body["system"]), *texts])) // 4
        schema = claude_requests.schema_in_words(body)
        text = json.dumps(GOOD[messages_api.step_of(schema)]) if schema else "It is 25 days, as everybody knows."
        return _json(200, {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": tokens, "output_tokens": 10},
        })  # fmt: skip

    def _reply(self, body: Body, tokens: int) -> Body:
        step = step_of(body)
        text = self._text(step, body)
        if not (self.schemas == "enforced" and "response_format" in body):
            text = self.spoil(body, text)
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": self.finish},
            ],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10},
        }

    def _text(self, step: str, body: Body) -> str:
        if step in self.answers:
            value = self.answers[step](body)
            return value if isinstance(value, str) else json.dumps(value)
        if step == "generate":
            return cites_every_source(body)
        if step == "grade_support":
            passages = fields_of(body)["passages"]
            claim = passages[0]["text"] if passages else "25 days"
            return json.dumps({"claims": [{"claim": claim, "support": "full", "passages": [1], "missing": ""}]})
        if step == "decide_retrieval":
            # After the first sentence of an answer that grows, it is complete.
            decision = "complete" if '"complete"' in json.dumps(schema_of(body)) else "yes"
            return json.dumps({"reason": "r", "decision": decision, "aggregate": False, "complexity": "complex"})
        return json.dumps(GOOD[step])


def schema_of(body: Body) -> Any:
    """Return the schema of a request, from its form or its instructions; None if it asks for text."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    system = body["messages"][0]["content"]
    at = system.find('{"', system.find("Its JSON schema:")) if "Its JSON schema:" in system else -1
    return form or (json.loads(system[at:]) if at >= 0 else None)


def step_of(body: Body) -> str:
    """Return the step of a request, by its schema."""
    return messages_api.step_of(schema_of(body))


def fields_of(body: Body) -> Body:
    """Return the quoted fields of a request, which come last."""
    content = body["messages"][-1]["content"]
    fields: Body = json.loads(content[content.index("{\n") :])
    return fields


def numbered(body: Body) -> list[tuple[int, str]]:
    """Return the numbered sentences of a request."""
    return [(int(number), text) for number, text in _SENTENCE.findall(body["messages"][-1]["content"])]


def cites_every_source(body: Body) -> str:
    """Return the facts of a request's sentences, each with its marker; a greeting without sentences."""
    facts = [(number, text) for number, text in numbered(body) if "Fact" in text or "leave" in text]
    return " ".join(f"{text.rstrip('.')} [{number}]." for number, text in facts) or "Hello."


def _error(status: int, message: str, kind: str = "invalid_request_error") -> Response:
    return _json(status, {"error": {"code": status, "message": message, "type": kind}})


def _json(status: int, body: Body) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
