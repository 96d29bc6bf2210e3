"""The paper's model as a decision model: probabilities of its reflection tokens (arXiv 2310.11511, A.3).

A completions server returns the next token's log-probabilities (`POST /v1/completions`: vLLM, llama.cpp). Questions
become prompts that end where the model was trained to judge. Replies are converted to TypeSafe's protocol.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import httpx2
from typesafe_sdk import ChoiceAnswer, NoulAnswer, ScoreAnswer, SystemOneResponse, Usage
from typing_extensions import override

from selfrag.adapters.decider import SystemOneDecider
from selfrag.adapters.outbound import host_of, http_client_for, post
from selfrag.domain.decisions import NO, YES, Distribution
from selfrag.domain.errors import RequestRejected, TemporarilyUnavailable, Unreadable
from selfrag.runtime.pace import RequestFailure
from selfrag.text.budgets import most_tokens

_SEARCH = {"[Retrieval]": YES, "[No Retrieval]": NO, "[Continue to Use Evidence]": "continue"}
_SUPPORT = {"[Fully supported]": "full", "[Partially supported]": "partial", "[No support / Contradictory]": "none"}
_USE = {f"[Utility:{level}]": str(level) for level in range(1, 6)}
# The option of each token, by the question's name.
_GROUPS: dict[str, dict[str, str]] = {
    "decision": _SEARCH,
    "continuation": {**_SEARCH, **dict.fromkeys(_USE, "complete")},
    "relevant": {"[Relevant]": YES, "[Irrelevant]": NO},
    "support": _SUPPORT,
    "useful": _USE,
}
# No token tells these.
_FIXED: dict[str, Distribution] = {"aggregate": {NO: 1.0}, "complexity": {"complex": 1.0}}
_TOKENS = {token for group in _GROUPS.values() for token in group}
_TOKENS |= {"<paragraph>", "</paragraph>", "<pad>", "[PAD]", "<s>", "</s>", "<unk>"}
_MARK = re.compile(
    "|".join([r"^#(?=##)", *(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in sorted(_TOKENS))]), re.M
)
_TOP = 20  # vLLM's limit
MIN_PROBABILITY = 0.01


def completions_client(url: str, key: str) -> httpx2.Client:
    """Return the client of a completions server; raises Misconfigured."""
    client = http_client_for(url)
    client.headers.update({"authorization": f"Bearer {key}"} if key else {})
    return client


class ReflectionDecider(SystemOneDecider):
    """The model for one task; each prompt holds one passage, so its window bounds a prompt and not the state."""

    window_bounds_state = False

    @override
    def _send(self, state: Mapping[str, object], questions: dict[str, Any], seconds: float) -> SystemOneResponse:
        prompts = {name: prompts_of(name, state) for name in questions if name not in _FIXED}
        texts = [prompt for group in prompts.values() for prompt in group]
        if any(most_tokens(text) > self._window for text in texts):
            raise RequestRejected(f"a prompt may be longer than its window of {self._window:,} tokens")
        read, tokens = self._complete(texts, seconds)
        answers = {name: _FIXED.get(name, {}) for name in questions}
        for name, group in prompts.items():
            options = [_options(_group_of(name), read.pop(0)) for _ in group]
            # The passage that supports a sentence best counts.
            answers[name] = max(options, key=lambda option: (option.get("full", 0.0), option.get("partial", 0.0)))
        translated: dict[str, Any] = {name: _answer(questions[name], options) for name, options in answers.items()}
        return SystemOneResponse(model=self.model, usage=Usage(input_tokens=tokens), answers=translated)

    def _complete(self, prompts: list[str], seconds: float) -> tuple[list[dict[str, float]], int]:
        """Return the probabilities of the likeliest tokens after each prompt, and the tokens that the server counts."""
        url = f"{self._url.rstrip('/').removesuffix('/v1')}/v1/completions"
        body = {"model": self.model, "prompt": prompts, "max_tokens": 1, "temperature": 0, "logprobs": _TOP}
        try:
            reply = post(self._client(), url, self.model, {**body, "skip_special_tokens": False}, {}, seconds).json()
            choices = sorted(reply["choices"], key=lambda choice: int(choice["index"]))
            read = [_probabilities(choice["logprobs"]) for choice in choices]
            tokens = int(reply.get("usage", {}).get("prompt_tokens", 0))
        except TemporarilyUnavailable as error:
            raise RequestFailure(error) from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):  # whose words may repeat a passage
            raise Unreadable(f"{host_of(url)} sent no log-probabilities that can be read") from None
        if [int(choice["index"]) for choice in choices] != list(range(len(prompts))):
            raise Unreadable(f"{host_of(url)} sent {len(read)} completions of {len(prompts)}")
        return read, tokens


def prompts_of(name: str, state: Mapping[str, Any]) -> list[str]:
    """Return the texts after which the model judges; for a sentence, one with each passage."""
    turn = state.get("previous") or {}
    before = [turn["question"], turn["answer"]] if turn.get("answer") else []
    task = "\n".join(filter(None, [*before, state["question"], state.get("query", "")]))
    head = f"### Instruction:\n{strip_marks(task)}\n\n### Response:\n"
    if name in ("decision", "continuation"):
        return [head + strip_marks(state.get("so_far", ""))]
    if name == "useful":
        return [f"{head}[No Retrieval]{strip_marks(state['answer'])}"]
    if "passage" in state:
        strips = {f"strip_{strip['strip']}": {"text": strip["text"]} for strip in state.get("strips", [])}
        return [head + _evidence({**state["passage"], **strips.get(name, {})})]
    sentence = strip_marks(state["sentences"][name])
    return [f"{head}{_evidence(passage)}[Relevant]{sentence}" for passage in state["passages"].values()]


def strip_marks(text: str) -> str:
    """Break up reflection tokens in a text with a space, so that no passage forges a verdict."""
    return _MARK.sub(lambda mark: f"{mark[0]} ", text)


def _evidence(passage: Mapping[str, str]) -> str:
    return f"[Retrieval]<paragraph>{strip_marks(passage['title'])}\n{strip_marks(passage['text'])}</paragraph>"


def _probabilities(logprobs: Mapping[str, Any]) -> dict[str, float]:
    """Return the probabilities of the first position's tokens: a list by llama.cpp, a table by vLLM."""
    top = logprobs["content"][0]["top_logprobs"] if logprobs.get("content") else logprobs["top_logprobs"][0]
    pairs = top.items() if isinstance(top, dict) else [(each["token"], each["logprob"]) for each in top]
    return {token.strip(): math.exp(min(float(value), 0.0)) for token, value in pairs}


def _group_of(name: str) -> dict[str, str]:
    """Return a question's group; a strip is graded like a passage, and `s2` is a sentence."""
    return _GROUPS["relevant" if name.startswith("strip_") else name] if not name[1:].isdigit() else _SUPPORT


def _options(group: Mapping[str, str], probabilities: Mapping[str, float]) -> Distribution:
    """Return the share of each option among the group's tokens; raises Unreadable if the model says none of them."""
    total = sum(probabilities.get(token, 0.0) for token in group)
    if not total >= MIN_PROBABILITY:
        raise Unreadable(f"the model gives its tokens {', '.join(group)} too little probability to judge")
    shares = dict.fromkeys(group.values(), 0.0)
    for token, option in group.items():
        shares[option] += probabilities.get(token, 0.0) / total
    return shares


def _answer(question: Mapping[str, Any], options: Distribution) -> NoulAnswer | ChoiceAnswer | ScoreAnswer:
    """Return an answer of the protocol; an option without a token has the probability 0."""
    if question["type"] == "noul":
        return NoulAnswer(noul=min(options.get(YES, 0.0), 1.0))
    if question["type"] == "score":
        return ScoreAnswer(score=0, confidence=0, legend={}, probabilities={int(n) - 1: p for n, p in options.items()})
    probabilities = {option: options.get(option, 0.0) for option in question["criteria"]}
    return ChoiceAnswer(choice="", confidence=0.0, probabilities=probabilities)
