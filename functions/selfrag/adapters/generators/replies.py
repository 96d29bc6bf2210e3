"""What a server of the model replied, read choice by choice: one that cannot be read spoils no other."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.scores.generated import Generated

_NUMBERED = "token_id:"


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


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    choices: list[dict[str, Any]]
    usage: _Usage = _Usage()


@dataclass(frozen=True)
class Reply:
    """What was written, by prompt, with the tokens that the server counted; `prompt_ids` are those of the first."""

    written: tuple[Generated | None, ...]
    input_tokens: int
    output_tokens: int
    prompt_ids: tuple[int, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether any of it met the length limit."""
        return any(one is not None and one.finish == "length" for one in self.written)


def reply_of(content: bytes, prompts: int) -> Reply:
    """Read a reply to so many prompts; raises TemporarilyUnavailable for what is none.

    Raises Misconfigured for a server that tells no token ids: from texts alone nothing can be graded.
    """
    try:
        reply = _Reply.model_validate(json.loads(content))
    except (ValueError, RecursionError):  # a ValidationError is a ValueError
        raise TemporarilyUnavailable("the model's server sent a reply that cannot be read") from None
    by_index: dict[int, Mapping[str, Any]] = {}
    for choice in reply.choices:
        index = choice.get("index")
        if isinstance(index, int):
            # Two for one prompt are none: nobody can tell which is meant.
            by_index[index] = {} if index in by_index else choice
    first = by_index.get(0, {}).get("prompt_token_ids")
    return Reply(
        tuple(_generated(by_index.get(index)) for index in range(prompts)),
        reply.usage.prompt_tokens,
        reply.usage.completion_tokens,
        tuple(first) if isinstance(first, list) else (),
    )


def _generated(choice: Mapping[str, Any] | None) -> Generated | None:
    """One choice; None if it is not there, or not what was asked for."""
    try:
        read = _Choice.model_validate(choice)
    except ValidationError:
        return None
    told = read.logprobs
    if told.tokens and not any(token.startswith(_NUMBERED) for token in told.tokens):
        raise Misconfigured(
            "the model's server tells no token ids, as vLLM does: it is too old or another kind of server"
        )
    ids = [_id(token) for token in told.tokens]
    if None in ids or (read.token_ids is not None and read.token_ids != ids):
        return None
    return Generated(
        text=read.text,
        ids=tuple(one for one in ids if one is not None),
        logprobs=tuple(told.token_logprobs),
        listed=tuple(
            {number: logprob for token, logprob in (listed or {}).items() if (number := _id(token)) is not None}
            for listed in told.top_logprobs
        ),
        finish=read.finish_reason,
        stop=read.stop_reason,
    )


def _id(token: str) -> int | None:
    number = token.removeprefix(_NUMBERED)
    return int(number) if token.startswith(_NUMBERED) and number.isdecimal() else None
