"""The double of a vLLM server, on loopback: its own routes, those of SageMaker's containers, and InvokeEndpoint."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from werkzeug.wrappers import Request, Response

from tests.support.doubles.sigv4 import BadSignature, verify
from tests.support.doubles.vllm.faults import SPOILED, Fault
from tests.support.doubles.vllm.replies import choice_of, reply_of
from tests.support.doubles.vllm.scenario import Scenario
from tests.support.doubles.vllm.strict import MAX_MODEL_LEN, Refused, Wrong, answer_to, check_fields, check_length
from tests.support.doubles.vllm.tokens import BOS, Tokens
from tests.support.doubles.vllm.writing import first, written
from tests.support.loopback import Loopback

ACCESS_KEY, SECRET_KEY, REGION = "AKIDEXAMPLE", "a-secret-that-opens-nothing", "us-east-1"
MODEL, ENDPOINT = "selfrag/selfrag_llama2_7b", "selfrag"
MAX_BODY_BYTES = 6 * 1024 * 1024


class VllmDouble(Loopback):
    """A server of a scenario; it counts what it was asked for, and keeps in `wrong` what no client of ours may send.

    `faults` are those of the first requests, one each, None for a good one; `spoiled` is what happens to one choice of
    every reply, `order` is `backwards` or `short` by one. `key` is the API key; `component` is behind the endpoint.
    """

    def __init__(
        self, scenario: Scenario, version: str = "0.33", *, faults: Sequence[Fault | None] = (), spoiled: str = "",
        victim: int = 1, order: str = "", key: str = "", component: str = "",
    ) -> None:  # fmt: skip
        super().__init__(self._respond)
        assert version in ("0.15", "0.33"), "the double plays two versions"
        self.scenario, self.version, self.key, self.component = scenario, version, key, component
        self.spoiled, self.victim, self.order = spoiled, victim, order
        self.requests = self.sequences = self.input_tokens = self.output_tokens = 0
        self.wrong: list[str] = []
        self.prompts: list[list[str]] = []
        self.bodies: list[dict[str, Any]] = []
        self._faults, self._tokens, self._lock = list(faults), Tokens(), threading.Lock()
        self._closing = threading.Event()

    def __exit__(self, *error: Any) -> None:
        self._closing.set()
        super().__exit__(*error)

    def _respond(self, request: Request) -> Response:
        path = request.path
        if path in ("/health", "/ping"):
            return Response("")
        if path.startswith("/v1/") and self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return _json({"error": "Unauthorized"}, 401)
        if path == "/v1/models":
            card = {"id": MODEL, "object": "model", "owned_by": "vllm", "root": MODEL, "max_model_len": MAX_MODEL_LEN}
            return _json({"object": "list", "data": [card]})
        if path == f"/endpoints/{ENDPOINT}/invocations":
            return self._invoked(request)
        if path in ("/v1/completions", "/invocations") and request.method == "POST":
            return self._completed(request.get_data(), sagemaker=False)
        return _json({"detail": "Not Found"}, 404)

    def _invoked(self, request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = request.get_data()
        try:
            verify(
                "POST", self.url + request.path, headers, body, keys={ACCESS_KEY: SECRET_KEY}, region=REGION,
                service="sagemaker", hashes=False,
            )  # fmt: skip
        except BadSignature as error:
            self.wrong.append(str(error))
            return _aws("AccessDeniedException", str(error), 403)
        if headers.get("x-amzn-sagemaker-inference-component", "") != self.component:
            return _aws("ValidationError", f"Inference Component of endpoint {ENDPOINT} not found.", 400)
        if len(body) > MAX_BODY_BYTES:
            return _aws("ValidationError", "the body is larger than 6291456 bytes", 400)
        return self._completed(body, sagemaker=True)

    def _completed(self, content: bytes, *, sagemaker: bool) -> Response:
        with self._lock:
            self.requests += 1
            fault = self._faults.pop(0) if self._faults else None
        if fault:
            return self._spoilt(fault)
        body = json.loads(content)
        try:
            return _json(self._reply(body))
        except Wrong as wrong:
            self.wrong.append(str(wrong))
            refused = Refused(400, str(wrong))
        except Refused as error:
            refused = error
        if sagemaker:
            return _model_error(refused.status, json.dumps(refused.body))
        return _json(refused.body, refused.status)

    def _spoilt(self, fault: Fault) -> Response:
        if fault.kind == "silence":
            self._closing.wait(70)  # until the client has long gone
        if fault.kind == "broken":
            return Response('{"choices": [', content_type="application/json")
        if fault.kind:
            raise ConnectionAbortedError
        if fault.code == "ModelError":
            return _model_error(fault.status, fault.says)
        if fault.code:
            return _aws(fault.code, fault.says, fault.status)
        headers = {"retry-after": fault.retry_after} if fault.retry_after else {}
        return _json(Refused(fault.status, fault.says).body, fault.status, headers)

    def _reply(self, body: dict[str, Any]) -> dict[str, Any]:
        check_fields(body, self.version, MODEL)
        asks_all = self.version != "0.15"
        prompts = [body["prompt"]] if isinstance(body["prompt"], str) else body["prompt"]
        choices, read = [], 0
        for index, prompt in enumerate(prompts):
            ids = [BOS, *self._tokens.encoded(prompt)]
            check_length(len(ids), body["max_tokens"])
            said = answer_to(prompt, self.scenario, body)
            places = first(self.scenario.decision) if said is None else written(said, self._tokens)
            wanted = body["logprob_token_ids"] if asks_all else None
            choices.append(choice_of(index, ids, places, body, wanted, self._tokens))
            read += len(ids)
        wrote = sum(len(choice["token_ids"]) for choice in choices)
        with self._lock:
            self.prompts.append(prompts)
            self.bodies.append(body)
            self.sequences += len(prompts)
            self.input_tokens += read
            self.output_tokens += wrote
        return reply_of(self._handed(choices), read, wrote, MODEL)

    def _handed(self, choices: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The choices as this server hands them over."""
        if self.spoiled and len(choices) > self.victim:
            SPOILED[self.spoiled](choices[self.victim])
        if self.order == "short":
            return choices[:-1] if len(choices) > 1 else choices
        return choices[::-1] if self.order == "backwards" else choices


@contextmanager
def vllm(scenario: Scenario, version: str = "0.33", **options: Any) -> Iterator[VllmDouble]:
    """A running double, with its `url` and its counters; it fails the test that sent what it should not have."""
    with VllmDouble(scenario, version, **options) as double:
        yield double
    assert double.wrong == [], "\n".join(double.wrong)


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(value), status, headers, content_type="application/json")


def _aws(code: str, message: str, status: int, **more: Any) -> Response:
    headers = {"x-amzn-errortype": code}
    return _json({"Code": code, "Message": message, **more}, status, headers)


def _model_error(original: int, said: str) -> Response:
    told = f"Received server error ({original}) from primary with message {said!r}."
    return _aws("ModelError", told, 424, OriginalStatusCode=original, OriginalMessage=said)
