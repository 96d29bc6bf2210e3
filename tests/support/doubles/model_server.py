"""A loopback server that speaks the Messages API, with faults on demand.

It knows a step by the shape that is asked for, as any server can, and counts requests by step.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from werkzeug.wrappers import Request, Response

from selfrag.runtime.models import PROFILES
from tests.support.doubles import messages_api
from tests.support.doubles.requests import schema_of
from tests.support.loopback import Loopback

Body = dict[str, Any]
# A fault: an HTTP status, "timeout", "dropped" (the server hangs up), "malformed", "refusal", "cut", or one of SPOILED.
Fault = int | str | None


def step_of(body: Body) -> str:
    """Return the step that a request belongs to."""
    return messages_api.step_of(schema_of(body))


GOOD: dict[str, Any] = {
    "decide_retrieval": {"reason": "r", "decision": "yes"},
    "grade_relevance": {"reason": "r", "score": 0.9},
    "grade_utility": {"reason": "r", "score": 5},
    "rewrite_question": {"reason": "r", "query": "another query"},
}


class ModelServer(Loopback):
    """Answers each step well, or by `answers[step](body)`, unless `fault(step, n)` spoils the nth request."""

    def __init__(self, fault: Callable[[str, int], Fault] = lambda step, n: None) -> None:
        super().__init__(self._respond)
        self.requests: list[Body] = []
        self.counts: Counter[str] = Counter()
        self.answers: dict[str, Callable[[Body], Any]] = {}
        self.headers: dict[int, dict[str, str]] = {429: {"retry-after": "1"}}
        self._fault, self._lock, self._closing = fault, threading.Lock(), threading.Event()

    def begin_anew(self, fault: Callable[[str, int], Fault]) -> None:
        """Forget all requests and answers, and spoil others from now on."""
        self.requests.clear()
        self.counts.clear()
        self.answers.clear()
        self._fault = fault

    def __exit__(self, *error: Any) -> None:
        self._closing.set()
        super().__exit__(*error)

    def asked(self, step: str) -> list[Body]:
        return [body for body in self.requests if step_of(body) == step]

    def _respond(self, request: Request) -> Response:
        if request.method == "GET":
            names = sorted(set(PROFILES["balanced"].values()))
            listed = [{"type": "model", "id": name, "max_input_tokens": 200_000} for name in names]
            return Response(json.dumps({"data": listed}), content_type="application/json")
        if request.path == "/v1/systemone":
            return Response("{}", 404)
        status, reply = self.answer(json.loads(request.get_data()))
        body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        return Response(body, status, self.headers.get(status), content_type="application/json")

    def answer(self, body: Body) -> tuple[int, Any]:
        step = step_of(body)
        with self._lock:
            self.requests.append(body)
            self.counts[step] += 1
            number = self.counts[step]
        fault = self._fault(step, number)
        if isinstance(fault, int):
            return fault, {"type": "error", "error": {"type": "some_error", "message": "no"}}
        if fault == "timeout":
            self._closing.wait(30)  # until the client has long gone
        if fault == "dropped":
            raise ConnectionError("hung up")
        reply = message(body, self._content(step, body, fault), fault)
        return 200, SPOILED[fault](reply) if fault in SPOILED else reply

    def _content(self, step: str, body: Body, fault: Fault) -> list[dict[str, Any]]:
        if fault == "malformed":
            return [] if step == "generate" else [{"type": "text", "text": '{"Yes'}]
        if step in self.answers:
            return reply(body, self.answers[step](body))
        if step == "grade_support":
            return reply(body, supported(body))
        return reply(body, GOOD[step]) if step in GOOD else cite_everything(body)


def reply(body: Body, value: Any) -> list[dict[str, Any]]:
    """Content blocks of a value: text with citations as they are, a verdict by tool or as JSON behind a thought."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if body.get("tools"):
        return [{"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": value}]
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    return [thought, {"type": "text", "text": json.dumps(value, ensure_ascii=False)}]


def supported(body: Body) -> dict[str, Any]:
    """Return a verdict on one claim that quotes the first passage, so that every fact check passes."""
    passages = json.loads(body["messages"][0]["content"][-1]["text"])["passages"]
    said = passages[0]["text"] if passages else "25 days"
    return {"claims": [{"claim": said, "support": "full", "passages": [1], "missing": ""}]}


def cite_everything(body: Body) -> list[dict[str, Any]]:
    """One sentence per search result, each with its first block cited; a greeting if there are none."""
    results = [block for block in body["messages"][0]["content"] if block["type"] == "search_result"]
    if not results:
        return [{"type": "text", "text": "Hello."}]
    return [
        {
            "type": "text",
            "text": block["content"][0]["text"].strip() + " ",
            "citations": [
                {
                    "type": "search_result_location",
                    "cited_text": block["content"][0]["text"],
                    "source": block["source"],
                    "title": block["title"],
                    "search_result_index": number,
                    "start_block_index": 0,
                    "end_block_index": 1,
                }
            ],
        }
        for number, block in enumerate(results)
    ]


def message(body: Body, content: list[dict[str, Any]], fault: Fault = None) -> dict[str, Any]:
    stop = {"refusal": "refusal", "cut": "max_tokens"}.get(str(fault), "end_turn")
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 50},
    }


def _filled(filling: str) -> Callable[[Body], Body]:
    """Return a change of a reply: this text at the end of an answer, or in the first field of a verdict."""

    def changed(block: Body) -> Body:
        if block["type"] == "tool_use":
            name = next(iter(block["input"]))
            return {**block, "input": {**block["input"], name: filling}}
        if block["type"] != "text":
            return block
        text = block["text"]
        return {**block, "text": text.replace(': "', f': "{filling}', 1) if text[:1] == "{" else text + filling}

    return lambda reply: {**reply, "content": [changed(block) for block in reply["content"]]}


def _in_another_shape(reply: Body) -> Body:
    """Return a reply whose verdict has values that its schema does not allow."""
    wrong = {"reason": "r", "decision": "perhaps", "score": 7, "query": "", "claims": [{"claim": "c", "support": "so"}]}
    return _with_text(json.dumps(wrong))(reply)


def _with_text(text: str) -> Callable[[Body], Body]:
    return lambda reply: {**reply, "content": [{"type": "text", "text": text}]}


# Replies with status 200 that are spoiled on the way or by the model: what becomes of a good one.
SPOILED: dict[Fault, Callable[[Body], Any]] = {
    "HTML": lambda reply: b"<html><body>Bad gateway</body></html>",
    "empty body": lambda reply: b"",
    "not UTF-8": lambda reply: json.dumps(reply).replace("msg_1", "\xe9").encode("latin-1"),
    "no usage": lambda reply: {name: value for name, value in reply.items() if name != "usage"},
    "content null": lambda reply: {**reply, "content": None},
    "empty content": lambda reply: {**reply, "content": []},
    "lone surrogate": _filled("\ud800"),
    "600 kB": _filled("a" * 600_000),
    "wrong enum": _in_another_shape,
    "prose": _with_text("I would say that it is so."),
}
