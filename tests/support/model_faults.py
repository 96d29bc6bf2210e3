"""The API over the laptop's stack while requests to the model have a fault."""

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.runtime.clock import Clock
from selfrag_cli.local.serving.invocation import LocalContext, threaded_handler
from selfrag_cli.local.stack import running_stack
from selfrag_cli.local.stores.bindings import LocalBindings
from tests.support.asking import MemoryCalls
from tests.support.doubles.model_server import SPOILED, Body, Fault, ModelServer
from tests.support.doubles.requests import output_format
from tests.support.local import QUESTION, few_parts
from tests.support.serving import gateway_event

STEPS = ["decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility", "rewrite_question"]
STRATEGIES: dict[str, dict[str, Any]] = {
    "self_rag": {},
    "self_rag, 0.05": {"max_cost_usd": 0.05},
    "corrective": {"strategy": "corrective"},
    "adaptive": {"strategy": "adaptive"},
    "candidates": {"strategy": "candidates"},
    "segments": {"strategy": "segments"},
}
FORCED = "forced tool answered in prose"
# A request with one of these is sent again.
TRANSIENT: list[Fault] = [
    429, 529, 500, 502, "dropped", "HTML", "empty body", "not UTF-8", "no usage", "content null",
]  # fmt: skip
LASTING: list[Fault] = [
    400, 401, 404, "refusal", "cut", "malformed", *(fault for fault in SPOILED if fault not in TRANSIENT), FORCED,
]  # fmt: skip
ONCE = ", first request"


@dataclass(frozen=True)
class Result:
    """The answer to a question while requests of a step had a fault.

    `failed` counts those requests, `refused` the ones with a form of request that the model does not take.
    """

    step: str
    fault: str
    strategy: str
    code: int
    status: str
    requests: int
    failed: int
    refused: int
    body: dict[str, Any]


class FaultyModel(ModelServer):
    """A model that refuses structured output while the fault is a forced tool's, so that tools are forced."""

    forces_tools, refused = False, 0

    def answer(self, body: Body) -> tuple[int, Any]:
        if self.forces_tools and output_format(body):
            with self._lock:
                self.requests.append(body)
                self.refused += 1
            refusal = "output_config.format: Extra inputs are not permitted"
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": refusal}}
        return super().answer(body)


class Asking:
    """The API over the laptop's stack; one question after another, each without learned capabilities."""

    def __init__(self, model: FaultyModel) -> None:
        self._model, self._handler = model, threaded_handler()

    def ask(self, step: str, fault: Fault, strategy: str, *, once: bool = False) -> Result:
        """Ask while all requests of a step, or its first `once`, have a fault."""
        bootstrap.forget(questions.capabilities)
        failed: list[int] = []
        spoils = "prose" if fault == FORCED else fault

        def fault_of(asked: str, number: int) -> Fault:
            if asked != step or (once and number > 1) or (fault == FORCED and number > 1):
                return None
            failed.append(number)
            return spoils

        self._model.begin_anew(fault_of)
        self._model.forces_tools, self._model.refused = fault == FORCED, 0
        self._model.answers.update(_answers(relevant=step != "rewrite_question"))
        policy = {"web_search": False, "cache": False, "top_k": 2, "max_rewrites": 1, **STRATEGIES[strategy]}
        asked = json.dumps({"question": QUESTION["question"], "policy": _accepted(policy)}).encode()
        code, body = self._response("/v1/questions" if strategy == "segments" else "/v1/ask", asked)
        return Result(
            step,
            f"{fault}{ONCE}" if once else str(fault),
            strategy,
            code,
            body.get("status", ""),
            len(self._model.requests),
            len(failed),
            self._model.refused,
            body,
        )

    def _response(self, path: str, asked: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of a question's response; a question of /v1/questions is waited for."""
        reply = self._handled("POST", path, asked, **{"content-type": "application/json"})
        ends = time.monotonic() + 60
        while reply["statusCode"] == 202 or json.loads(reply["body"]).get("status") == "running":
            assert time.monotonic() < ends, "the question did not end"
            path = reply["multiValueHeaders"].get("Location", [path])[0]
            threading.Event().wait(0.005)
            reply = self._handled("GET", path)
        return reply["statusCode"], json.loads(reply["body"])

    def _handled(self, method: str, path: str, body: bytes = b"", **headers: str) -> dict[str, Any]:
        return self._handler(gateway_event(method, path, body, **headers), LocalContext())


def _accepted(policy: dict[str, Any]) -> dict[str, Any]:
    """Return a policy without the fields that its strategy refuses."""
    refused = {"max_rewrites"} if policy.get("strategy") in ("candidates", "segments") else set()
    return {name: value for name, value in policy.items() if name not in refused}


def _answers(*, relevant: bool) -> dict[str, Callable[[Body], Any]]:
    def decided(body: Body) -> Any:
        so_far = json.loads(body["messages"][0]["content"][-1]["text"]).get("so_far")
        return {"reason": "r", "decision": "complete" if so_far else "yes", "complexity": "complex"}

    strips = [{"strip": 1, "score": 0.9}]
    graded = {"reason": "r", "score": 0.9 if relevant else 0.0, "strips": strips if relevant else []}
    return {"decide_retrieval": decided, "grade_relevance": lambda body: graded}


@contextmanager
def asking() -> Iterator[Asking]:
    """Yield the API over the laptop's stack in a separate home; retries do not wait."""
    parts = few_parts()
    parts["clock"] = Clock(now=time.time, sleep=lambda seconds: None, share=lambda: 0.5)
    parts["recent_calls"] = MemoryCalls()
    parts["bindings"] = LocalBindings("c")
    with tempfile.TemporaryDirectory() as home, FaultyModel() as model:
        environment = {
            "SELFRAG_HOME": home,
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_COLLECTIONS": '["c"]',
        }
        with running_stack(environment, {"model-key": "key"}, parts, keeps_histories=False):
            yield Asking(model)


def faults_of(step: str) -> Iterator[tuple[Fault, bool]]:
    """Yield the faults of a step's requests, each with whether only the first request has it."""
    yield from ((fault, once) for fault in TRANSIENT for once in (True, False))
    # A writer is asked for no verdict.
    yield from ((fault, False) for fault in LASTING if step != "generate" or fault not in ("wrong enum", FORCED))
