"""The fine-tuned model behind the port: one request for all prompts, retried while there is time."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, JsonValue, ValidationError

from selfrag.adapters.generators.server import VllmServer
from selfrag.domain.calls import ModelCall
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.scores.generated import LISTED, GeneratedText
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.generator import Completion
from selfrag.runtime.pace import Pace, RequestFailure

_NUMBERED = "token_id:"


class Completions:
    """A Generator on a server, for one task."""

    def __init__(self, server: VllmServer, pace: Pace, vocabulary: Vocabulary, model: str) -> None:
        self._server, self._pace = server, pace
        self.vocabulary, self.model = vocabulary, model

    def complete(self, step: str, prompts: Sequence[str], max_tokens: int, *, stops: Sequence[int] = ()) -> Completion:
        """Complete all prompts in one request."""
        body = json.dumps(body_of(prompts, max_tokens, stops, self.vocabulary, self.model)).encode()
        times = [0.0, 0.0]

        def send(seconds: float) -> CompletionReply:
            times[0] = self._pace.now()
            content = self._server.send(body, seconds)
            times[1] = self._pace.now()
            try:
                return reply_of(content, len(prompts))
            except TemporarilyUnavailable as error:
                raise RequestFailure(error) from None

        result = self._pace.ask(step, self.model, send)
        reply = result.value
        return Completion(
            written=reply.written if reply else (None,) * len(prompts),
            sequences=len(prompts) if reply else 0,
            call=self._call(step, reply, times) if reply else None,
            attempts=result.requests,
            error=type(result.error).__name__ if result.error else None,
            cause=str(result.error or ""),
            throttled=result.throttled,
        )

    def _call(self, step: str, reply: "CompletionReply", times: Sequence[float]) -> ModelCall:
        """Return the call; an hour of the server has a price, a request has none."""
        return ModelCall(
            step=step,
            model=self.model,
            started_at=round(times[0], 4),
            ended_at=round(times[1], 4),
            stop_reason="length" if any(text and text.finish == "length" for text in reply.written) else "stop",
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
        )


def body_of(
    prompts: Sequence[str], max_tokens: int, stops: Sequence[int], vocabulary: Vocabulary, model: str
) -> dict[str, object]:
    """Return the body of one request for all prompts, in vLLM's fields."""
    fields = {
        "model": model,
        "prompt": list(prompts),
        "max_tokens": max_tokens,
        "temperature": 0,
        "n": 1,
        # A switch for the next field, and what an older server goes by; it is the most that one allows by default.
        "logprobs": LISTED,
        "logprob_token_ids": vocabulary.graded,
        # Different tokens may have the same text.
        "return_tokens_as_token_ids": True,
        "return_token_ids": True,
        # The reflection tokens are special ones, which would vanish from the text.
        "skip_special_tokens": False,
        "spaces_between_special_tokens": False,
    }
    return {**fields, **({"stop_token_ids": list(stops)} if stops else {})}


class _Logprobs(BaseModel):
    tokens: list[str]
    token_logprobs: list[float]
    top_logprobs: list[dict[str, float] | None]


class _Choice(BaseModel):
    text: str
    logprobs: _Logprobs
    token_ids: list[int] | None = None
    finish_reason: Literal["stop", "length"]
    stop_reason: int | None = None


class _CompletionUsage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _CompletionBody(BaseModel):
    choices: list[dict[str, JsonValue]]
    usage: _CompletionUsage = _CompletionUsage()


@dataclass(frozen=True)
class CompletionReply:
    """The texts by prompt, None for one that cannot be read, and the tokens that the server counted."""

    written: tuple[GeneratedText | None, ...]
    input_tokens: int
    output_tokens: int


def reply_of(content: bytes, prompts: int) -> CompletionReply:
    """Read a reply to so many prompts, choice by choice; raises TemporarilyUnavailable for what is none.

    Raises Misconfigured for a server that sends no token ids: from texts alone nothing can be graded.
    """
    try:
        reply = _CompletionBody.model_validate(json.loads(content))
    except (ValueError, RecursionError):  # a ValidationError is a ValueError
        raise TemporarilyUnavailable("the model's server sent a reply that cannot be read") from None
    by_index: dict[int, Mapping[str, object]] = {}
    for choice in reply.choices:
        index = choice.get("index")
        if isinstance(index, int):
            # Two for one prompt are none: it is not known which is meant.
            by_index[index] = {} if index in by_index else choice
    written = tuple(_generated(by_index.get(index)) for index in range(prompts))
    return CompletionReply(written, reply.usage.prompt_tokens, reply.usage.completion_tokens)


def _generated(choice: Mapping[str, object] | None) -> GeneratedText | None:
    try:
        read = _Choice.model_validate(choice)
    except ValidationError:
        return None
    logprobs = read.logprobs
    if logprobs.tokens and not any(token.startswith(_NUMBERED) for token in logprobs.tokens):
        raise Misconfigured(
            "the model's server tells no token ids, as vLLM does: it is too old or another kind of server"
        )
    ids = [_id(token) for token in logprobs.tokens]
    if None in ids or (read.token_ids is not None and read.token_ids != ids):
        return None
    return GeneratedText(
        text=read.text,
        ids=tuple(number for number in ids if number is not None),
        logprobs=tuple(logprobs.token_logprobs),
        listed=tuple(
            {number: logprob for token, logprob in (listed or {}).items() if (number := _id(token)) is not None}
            for listed in logprobs.top_logprobs
        ),
        finish=read.finish_reason,
        stop=read.stop_reason,
    )


def _id(token: str) -> int | None:
    number = token.removeprefix(_NUMBERED)
    return int(number) if token.startswith(_NUMBERED) and number.isdecimal() else None
