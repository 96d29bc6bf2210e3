"""The simulated service: failures, latency, cache and log."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from werkzeug.wrappers import Request, Response

from bench.workflow.api.billing import Billed
from bench.workflow.api.caching import PromptCache
from bench.workflow.api.clock import Clock
from bench.workflow.api.faults import Fault, Faults, no_faults
from bench.workflow.api.model import content_of
from tests.support.doubles.messages_api import Refusal, step_of, tokens
from tests.support.doubles.refusals import check
from tests.support.doubles.requests import schema_of
from tests.support.loopback import Loopback

# Seconds until a reply begins, and for each token of it. The stronger models are all but Haiku.
Pace = Callable[[str], tuple[float, float]]
_PARTS = ("system", "messages", "tools", "output_config")


def usual_pace(model: str) -> tuple[float, float]:
    """Return the pace that the figures of docs/measurements.md are for."""
    return (0.2, 0.004) if "haiku" in model else (0.3, 0.008)


def no_time(model: str) -> tuple[float, float]:
    """Reply at once."""
    return 0.0, 0.0


class MessagesApi(Loopback):
    """Answers POST /v1/messages, and notes each request in `billed`, in the order in which they ended."""

    def __init__(self, pace: Pace = no_time, clock: Clock | None = None) -> None:
        super().__init__(self._respond)
        self.clock = clock or Clock()
        self.prompts = PromptCache(self.clock)
        self.billed: list[Billed] = []
        self.faults: Faults = no_faults
        self.pace = pace
        self._asked: Counter[str] = Counter()
        self._lock = Lock()

    def forget(self) -> None:
        """Begin anew: nothing is noted, was asked before or is cached."""
        with self._lock:
            self.billed.clear()
            self._asked.clear()
        self.prompts.forget()

    def _respond(self, request: Request) -> Response:
        began = time.perf_counter()
        try:
            if (request.method, request.path) != ("POST", "/v1/messages"):
                raise Refusal("Not Found", 404, "not_found_error")
            if not (request.headers.get("x-api-key") or request.headers.get("authorization")):
                raise Refusal("x-api-key header is required", 401, "authentication_error")
            body = json.loads(request.get_data())
            check(body)
            return self._answer(body, began)
        except Refusal as refused:
            return _error(refused.status, refused.kind, str(refused))

    def _answer(self, body: Mapping[str, Any], began: float) -> Response:
        step, model = step_of(schema_of(body)), body["model"]
        if fault := self._fault(body):
            self._note(Billed(step, model, began, time.perf_counter(), fault.status))
            headers = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
            kind = "rate_limit_error" if fault.status == 429 else "overloaded_error"
            return _error(fault.status, kind, "Too many requests.", headers)
        content = content_of(body)
        begins, for_each = self.pace(model)
        cached = self.prompts.use(body, step, begins)
        written = max(1, sum(tokens(block.get("text") or _text(block.get("input", ""))) for block in content))
        sent = tokens(_text({name: body[name] for name in _PARTS if name in body}))
        if seconds := begins + for_each * written:
            time.sleep(seconds)
        billed = Billed(
            step,
            model,
            began,
            time.perf_counter(),
            input_tokens=max(1, sent - cached.read - cached.written_5m - cached.written_1h),
            output_tokens=written,
            cached=cached,
        )
        self._note(billed)
        return _json(200, _message(model, content, billed))

    def _fault(self, body: Mapping[str, Any]) -> Fault | None:
        # Neither the prompt nor its marks: a better wording refuses no other request.
        asked = _text([body["model"], body["messages"][-1]["content"][-1]["text"]])
        with self._lock:
            before = self._asked[asked]
            self._asked[asked] += 1
        return self.faults(asked, before)

    def _note(self, billed: Billed) -> None:
        with self._lock:
            self.billed.append(billed)


def _message(model: str, content: list[dict[str, Any]], billed: Billed) -> dict[str, Any]:
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_simulated",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": billed.usage(),
    }


def _error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return _json(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)


def _json(status: int, reply: Any, headers: Mapping[str, str] | None = None) -> Response:
    return Response(_text(reply), status, dict(headers or {}), content_type="application/json")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
