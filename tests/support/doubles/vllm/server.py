"""The double of a vLLM server on loopback: completions, and faults."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from werkzeug.wrappers import Request, Response

from selfrag.domain.scores.tokens import END, SUPPORT
from selfrag.domain.scores.vocabulary import IDS
from tests.support.doubles.vllm.prompts import MAX_MODEL_LEN, Refused, Wrong, answer_to, check_fields
from tests.support.doubles.vllm.scenario import Scenario
from tests.support.doubles.vllm.writing import BOS, Place, Tokens, first, written
from tests.support.loopback import Loopback

Choice = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """A status with its words; or a `kind`: silence, cut, broken."""

    status: int = 0
    says: str = "no"
    kind: str = ""


SILENCE, CUT, BROKEN = Fault(kind="silence"), Fault(kind="cut"), Fault(kind="broken")


def _unlisted_support(choice: Choice) -> None:
    """Leave out the ids at one position of the critique."""
    told, place = choice["logprobs"], _support_at(choice)
    told["top_logprobs"][place] = {told["tokens"][place]: -0.1}


def _cut(choice: Choice) -> None:
    """Meet the length limit before IsSup."""
    place = _support_at(choice) - 1
    for told in [*choice["logprobs"].values(), choice["token_ids"]]:
        del told[place:]
    choice.update(text=choice["text"].rpartition(" ")[0], finish_reason="length", stop_reason=None)


def _disagreeing(choice: Choice) -> None:
    """Let the text say that all is supported, where the ids do not."""
    for token in SUPPORT:
        choice["text"] = choice["text"].replace(token, "")
    choice["text"] += SUPPORT[-1]


def _support_at(choice: Choice) -> int:
    graded = [f"token_id:{IDS[token]}" for token in SUPPORT]
    return next(place for place, token in enumerate(choice["logprobs"]["tokens"]) if token in graded)


# Damage to one choice, while the others are as they should be.
SPOILED: Mapping[str, Callable[[Choice], None]] = {
    "unlisted_support": _unlisted_support,
    "cut": _cut,
    "disagreeing": _disagreeing,
    "no_logprobs": lambda choice: choice.update(logprobs=None),
}


class VllmDouble(Loopback):
    """A server of a scenario; it counts what it was asked for, and keeps in `wrong` what no client of ours may send.

    `faults` are those of the first requests, one each, None for a good one; `spoiled` damages the second choice of
    every reply, `order` is `backwards` or `short` by one. `key` is the API key. A server that `ignores_ids` lists the
    likeliest tokens, as vLLM did before `logprob_token_ids`.
    """

    def __init__(
        self, scenario: Scenario, *, faults: Sequence[Fault | None] = (), spoiled: str = "", order: str = "",
        key: str = "", ignores_ids: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(self._respond)
        self.scenario, self.key, self.ignores_ids = scenario, key, ignores_ids
        self.spoiled, self.order = spoiled, order
        self.requests = self.sequences = self.input_tokens = self.output_tokens = 0
        self.wrong: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self._faults, self._tokens, self._lock = list(faults), Tokens(), threading.Lock()
        self._closing = threading.Event()

    def __exit__(self, *error: Any) -> None:
        self._closing.set()
        super().__exit__(*error)

    def _respond(self, request: Request) -> Response:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return _json({"error": "Unauthorized"}, 401)
        if request.path == "/v1/completions" and request.method == "POST":
            return self._completed(request.get_data())
        return _json({"detail": "Not Found"}, 404)

    def _completed(self, content: bytes) -> Response:
        with self._lock:
            self.requests += 1
            fault = self._faults.pop(0) if self._faults else None
        if fault:
            return self._spoilt(fault)
        try:
            return _json(self._reply(json.loads(content)))
        except Wrong as wrong:
            self.wrong.append(str(wrong))
            refused = Refused(400, str(wrong))
        except Refused as error:
            refused = error
        return _json(refused.body, refused.status)

    def _spoilt(self, fault: Fault) -> Response:
        if fault.kind == "silence":
            self._closing.wait(70)  # until the client has long gone
        if fault.kind == "broken":
            return Response('{"choices": [', content_type="application/json")
        if fault.kind:
            raise ConnectionAbortedError
        return _json(Refused(fault.status, fault.says).body, fault.status)

    def _reply(self, body: dict[str, Any]) -> dict[str, Any]:
        check_fields(body)
        choices, read = [], 0
        for index, prompt in enumerate(body["prompt"]):
            ids = [BOS, *self._tokens.encoded(prompt)]
            if len(ids) + body["max_tokens"] > MAX_MODEL_LEN:
                raise Refused(400, f"This model's maximum context length is {MAX_MODEL_LEN} tokens.")
            said = answer_to(prompt, self.scenario, body)
            places = first(self.scenario.decision) if said is None else written(said, self._tokens)
            choices.append(self._choice(index, places, body))
            read += len(ids)
        wrote = sum(len(choice["token_ids"]) for choice in choices)
        with self._lock:
            self.bodies.append(body)
            self.sequences += len(choices)
            self.input_tokens += read
            self.output_tokens += wrote
        if self.spoiled and len(choices) > 1:
            SPOILED[self.spoiled](choices[1])
        if self.order == "short":
            choices = choices[: max(1, len(choices) - 1)]
        handed = choices[::-1] if self.order == "backwards" else choices
        return {"choices": handed, "usage": {"prompt_tokens": read, "completion_tokens": wrote}}

    def _choice(self, index: int, places: list[Place], body: dict[str, Any]) -> Choice:
        """Return what was written up to its end, a token to stop at, or the length limit."""
        wanted = None if self.ignores_ids else body["logprob_token_ids"]
        stops = set(body.get("stop_token_ids", ()))
        end = next((at for at, place in enumerate(places) if place.id in stops or place.id == IDS[END]), None)
        whole = end is not None and end < body["max_tokens"]
        kept = places[: end + 1] if whole and end is not None else places[: body["max_tokens"]]
        ids = [place.id for place in kept]
        listed = [{f"token_id:{one}": value for one, value in place.listed(wanted).items()} for place in kept]
        return {
            "index": index,
            "text": self._tokens.decoded(ids[:-1] if whole else ids),
            "logprobs": {
                "tokens": [f"token_id:{one}" for one in ids],
                "token_logprobs": [place.logprob() for place in kept],
                "top_logprobs": listed,
            },
            "finish_reason": "stop" if whole else "length",
            "stop_reason": ids[-1] if whole and ids[-1] in stops else None,
            "token_ids": ids,
        }


@contextmanager
def vllm(scenario: Scenario, **options: Any) -> Iterator[VllmDouble]:
    """Run a double, with its `url` and its counters; it fails the test that sent what it should not have."""
    with VllmDouble(scenario, **options) as double:
        yield double
    assert double.wrong == [], "\n".join(double.wrong)


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, content_type="application/json")
