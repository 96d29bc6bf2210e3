"""The kinds of reply that are asked for, a verdict or an answer, with their parameters and limits."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import anthropic
from pydantic import BaseModel

from selfrag.adapters.claude.profiles import Profile, instruction, plain_request, verdict_request
from selfrag.adapters.claude.purse import MOST_TOKENS, Kind, verdict_tokens


@dataclass(frozen=True)
class Wanted:
    """A request's kind of reply, its parameters and its words after the rubric by profile, and its most tokens."""

    kind: Kind
    parameters: Callable[[Profile], dict[str, Any]]
    instruction: Callable[[Profile], str]
    tokens: Callable[[Profile], int]


ANSWER = Wanted("answer", plain_request, lambda profile: "", lambda profile: MOST_TOKENS)


def verdict_on(step: str, fields: Mapping[str, Any], shape: type[BaseModel]) -> Wanted:
    """Return what a step's request for a verdict of this shape on these fields wants."""
    schema = _schema(shape)

    def tokens(profile: Profile) -> int:
        # A writer's verdict may quote passages.
        if step == "generate":
            return MOST_TOKENS
        return verdict_tokens(str(fields.get("answer", "")), thinks=profile.thinks and not profile.thinking)

    return Wanted(
        "verdict",
        lambda profile: verdict_request(schema, profile),
        lambda profile: instruction(json.dumps(schema, ensure_ascii=False), profile),
        tokens,
    )


@cache
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    return anthropic.transform_schema(shape)
