"""A strict server of `/v1/completions` with Self-RAG's model, in the forms of vLLM and of llama.cpp (PAPER: A.3)."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback

Table = Mapping[str, float]
# The model's next tokens by position: for d1 and the first decision in the paper's worked example.
SAYS: dict[str, Table] = {
    "decide": {"[Retrieval]": 0.12, "[No Retrieval]": 0.40, "[Continue to Use Evidence]": 0.08},
    "go_on": {"[Retrieval]": 0.10, "[No Retrieval]": 0.10, "[Utility:5]": 0.50, "[Utility:4]": 0.10},
    "relevance": {"[Relevant]": 0.90, "[Irrelevant]": 0.05},
    "support": {"[Fully supported]": 0.10, "[Partially supported]": 0.60, "[No support / Contradictory]": 0.30},
    "use": {f"[Utility:{level}]": p for level, p in enumerate((0.02, 0.03, 0.10, 0.25, 0.60), start=1)},
}
TOKENS = sorted({token for table in SAYS.values() for token in table} | {"<paragraph>", "</paragraph>"})
# One thing that a server does otherwise.
MODES = ("no_logprobs", "fewer", "twice", "nan", "rare", "not_json", "no_choices", "400", "401", "404")

_PLAIN = "|".join(re.escape(token) for token in TOKENS)
_TEXT = rf"(?:(?!{_PLAIN}|</?s>|<unk>|<pad>|^###)[\s\S])*?"
_EVIDENCE = rf"\[Retrieval\]<paragraph>{_TEXT}\n{_TEXT}</paragraph>"
_AFTER = {
    "decide": "", "relevance": _EVIDENCE, "support": rf"{_EVIDENCE}\[Relevant\](?=\S){_TEXT}",
    "use": rf"\[No Retrieval\](?=\S){_TEXT}", "go_on": rf"(?=\S){_TEXT}",
}  # fmt: skip
_PROMPTS = {
    kind: re.compile(rf"### Instruction:\n(?=\S){_TEXT}\n\n### Response:\n{after}", re.MULTILINE)
    for kind, after in _AFTER.items()
}
_FIELDS = {"model", "prompt", "max_tokens", "temperature", "logprobs", "skip_special_tokens"}


class CompletionsServer(Loopback):
    """A server that refuses input outside the model's training format; `prompts` are the accepted ones."""

    def __init__(self, mode: str = "", *, form: str = "vllm", key: str = "", says: Mapping[str, Table] = SAYS) -> None:
        self.mode, self.form, self._key, self._says = mode, form, key, says
        self.prompts: list[str] = []
        self.refused: list[str] = []
        super().__init__(self._reply)

    def _reply(self, request: Request) -> Response:
        if self.mode.isdigit():
            return Response("no", int(self.mode))
        if request.path != "/v1/completions" or request.method != "POST":
            return Response("not found", 404)
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            return Response("no such key", 401)
        body = json.loads(request.get_data())
        if why := self._fault(body):
            self.refused.append(why)
            return Response(why, 400)
        self.prompts += body["prompt"]
        return self._choices(body["prompt"])

    def _fault(self, body: Any) -> str:
        if set(body) != _FIELDS or not isinstance(body["prompt"], list) or not body["prompt"]:
            return "the fields are not those of a request for log-probabilities"
        wanted = {"max_tokens": 1, "temperature": 0, "skip_special_tokens": False}
        if {name: body[name] for name in wanted} != wanted or not 0 < body["logprobs"] <= 20:
            return "requested logprobs are greater than max allowed: 20, or the sampling is not greedy"
        return next((f"no prompt of the model: {prompt!r}" for prompt in body["prompt"] if not kind_of(prompt)), "")

    def _choices(self, prompts: list[str]) -> Response:
        # The last first, as a server may finish them.
        choices = [self._choice(index, prompt) for index, prompt in reversed(list(enumerate(prompts)))]
        if self.mode == "not_json":
            return Response('{"choices": [', content_type="application/json")
        if self.mode in ("fewer", "twice"):
            choices = choices[1:] if self.mode == "fewer" else [choices[0], *choices]
        reply = {"choices": choices, "usage": {"prompt_tokens": sum(map(len, prompts)), "completion_tokens": 1}}
        if self.mode == "no_choices":
            del reply["choices"]
        return Response(json.dumps(reply), content_type="application/json")

    def _choice(self, index: int, prompt: str) -> dict[str, Any]:
        table = {"The": 0.01, "-": 0.0} | dict(self._says[kind_of(prompt)])
        scale = 1e-4 if self.mode == "rare" else 1.0
        # vLLM writes -9999.0 for minus infinity.
        logs = {token: math.log(p * scale) if p else -9999.0 for token, p in table.items()}
        logs |= dict.fromkeys(logs, math.nan) if self.mode == "nan" else {}
        top = [{"id": 1, "token": token, "bytes": [], "logprob": value} for token, value in logs.items()]
        choice: dict[str, Any] = {"index": index, "text": "", "finish_reason": "length"}
        if self.mode == "no_logprobs":
            return {**choice, "logprobs": None}
        if self.form == "llama.cpp":
            return {**choice, "logprobs": {"content": [{**top[0], "top_logprobs": top}]}}
        return {**choice, "logprobs": {"tokens": [], "token_logprobs": [], "text_offset": [], "top_logprobs": [logs]}}


def kind_of(prompt: str) -> str:
    """Return where a prompt asks the model, "" if it is none that the model was trained on."""
    return next((kind for kind, pattern in _PROMPTS.items() if pattern.fullmatch(prompt)), "")
