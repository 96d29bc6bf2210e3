"""What a request for completions is made of: the fields that vLLM and LMI take alike."""

import json
from collections.abc import Sequence
from typing import Any

from selfrag.domain.scores.generated import LISTED
from selfrag.domain.scores.vocabulary import Vocabulary


def body_of(
    prompts: Sequence[str], max_tokens: int, stops: Sequence[int], vocabulary: Vocabulary, model: str
) -> dict[str, Any]:
    """The body of one request for all prompts; a server ignores in silence the fields that it does not know."""
    fields = {
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
    return {**fields, **({"stop_token_ids": list(stops)} if stops else {}), **({"model": model} if model else {})}


def encoded(body: dict[str, Any]) -> bytes:
    """The body as it is sent."""
    return json.dumps(body).encode()
