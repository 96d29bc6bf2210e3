"""A strict server of `/v1/systemone`, built on the SDK's own schemas, with the servers' known differences as modes."""

import json
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from pydantic import ValidationError
from typesafe_sdk._schemas.models import SystemOneRequest, SystemOneResponse
from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback

# Probabilities by option, of one question about a state.
Answers = Callable[[str, Mapping[str, Any], Any], Mapping[str, float]]
OLLAMA_BYTES = 65_536
# A mode is one thing that a server does otherwise.
MODES = (
    "501", "422", "400", "401", "404", "500", "429", "redirect", "slow", "too_large", "refusal", "refusal_field",
    "list", "missing", "half", "nan", "negative", "other_options", "other_type", "not_json", "cut", "empty", "no_usage",
)  # fmt: skip


def sure(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
    """Return confident passing verdicts: yes, fully supported, most useful, complete; not an aggregate."""
    options = options_of(question)
    passing = ("no",) if name == "aggregate" else ("complete", "yes", "full", "complex", "5")
    best = next((option for option in passing if option in options), options[0])
    rest = 0.04 / max(1, len(options) - 1)
    return {option: 0.96 if option == best else rest for option in options}


def options_of(question: Mapping[str, Any]) -> list[str]:
    """Return the options of a question as selfrag names them."""
    if question["type"] == "noul":
        return ["yes", "no"]
    criteria = question["criteria"]
    return list(criteria) if isinstance(criteria, dict) else [str(level + 1) for level in range(len(criteria))]


class SystemOneServer(Loopback):
    """A server that answers by `answers`; `requests` are the bodies that it took, `keys` their headers' keys."""

    def __init__(self, answers: Answers = sure, mode: str = "", *, key: str = "", retry_after: str = "7") -> None:
        self.answers, self.mode, self._key, self._retry_after = answers, mode, key, retry_after
        self.requests: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.released = Event()
        super().__init__(self._reply)

    def __exit__(self, *raised: object) -> None:
        self.released.set()
        super().__exit__(*raised)

    def _reply(self, request: Request) -> Response:
        if request.path != "/v1/systemone" or request.method != "POST":
            return _json({"error": "not found"}, 404)
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            return _json({"error": "no such key"}, 401)
        body = request.get_data()
        self.bodies.append(body)
        try:
            SystemOneRequest.model_validate_json(body, extra="forbid")
        except ValidationError as error:
            return _json({"detail": json.loads(error.json(include_input=False))}, 422)
        asked = json.loads(body)
        self.requests.append(asked)
        if self.mode == "slow":
            self.released.wait()
        if self.mode == "429":
            return _json({"error": "slow down"}, 429, {"retry-after": self._retry_after})
        if self.mode == "redirect":
            return Response(status=307, headers={"location": "http://127.0.0.1:9/v1/systemone"})
        if self.mode.isdigit():
            return _json({"error": "This model is not a decision model"}, int(self.mode))
        if self.mode == "too_large" and len(body) > OLLAMA_BYTES:
            return _json({"error": "the request is too large"}, 413)
        answers = {name: self._answer(name, question, asked["state"]) for name, question in asked["questions"].items()}
        reply = {"model": "double", "answers": answers, "usage": {"input_tokens": len(body) // 4, "output_tokens": 1}}
        if not self.mode or self.mode in ("zeros", "too_large"):
            SystemOneResponse.model_validate(reply)
        return self._spoiled(reply)

    def _answer(self, name: str, question: Mapping[str, Any], state: Any) -> dict[str, Any]:
        odds = dict(self.answers(name, question, state))
        if question["type"] == "noul":
            return {"type": "noul", "noul": odds["yes"]}
        best = max(odds, key=lambda option: odds[option])
        if question["type"] == "choice":
            return {"type": "choice", "choice": best, "probabilities": odds, "confidence": 0.9}
        levels = {str(int(level) - 1): probability for level, probability in odds.items()}
        legend = {str(level): text for level, text in enumerate(question["criteria"])}
        expected = sum(int(level) * probability for level, probability in levels.items())
        return {"type": "score", "score": expected, "legend": legend, "probabilities": levels, "confidence": 0.9}

    def _spoiled(self, reply: dict[str, Any]) -> Response:
        name, first = next(iter(reply["answers"].items()))
        odds = first.get("probabilities")
        match self.mode:
            case "refusal":
                reply["answers"][name] = {"type": "refusal", "refusal": "I cannot judge that."}
            case "refusal_field":
                reply["answers"][name] = {"type": "refused", "reason": "policy"}
            case "list":
                reply["answers"] = list(reply["answers"].values())
            case "missing":
                del reply["answers"][name]
            case "half" if odds:
                first["probabilities"] = {option: probability / 2 for option, probability in odds.items()}
            case "half":
                first["noul"] = 1.5
            case "nan":
                first.update({"probabilities": {**odds, next(iter(odds)): "NaN"}} if odds else {"noul": "NaN"})
            case "negative":
                first.update({"probabilities": {**odds, next(iter(odds)): -0.1}} if odds else {"noul": -0.1})
            case "other_options" if odds:
                first["probabilities"] = {"9" if first["type"] == "score" else "maybe": 1.0}
            case "other_options":
                del first["noul"]
            case "other_type":
                reply["answers"][name] = {"type": "box", "box": dict.fromkeys(("top", "bottom", "left", "right"), 0.1)}
            case "no_usage":
                del reply["usage"]
            case "zeros":
                reply["usage"] = {"input_tokens": 0, "output_tokens": 0}
            case "not_json":
                return Response("<html>Bad gateway</html>", content_type="text/html")
            case "cut":
                return Response(json.dumps(reply)[:-30], content_type="application/json")
            case "empty":
                return Response(b"", content_type="application/json")
        return _json(reply)


def _json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(value), status, {"content-type": "application/json", **(headers or {})})
