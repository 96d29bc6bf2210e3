"""A reply of vLLM's, exactly in its shape."""

from typing import Any

from selfrag.domain.scores.tokens import END
from selfrag.domain.scores.vocabulary import IDS
from tests.support.doubles.vllm.tokens import Tokens
from tests.support.doubles.vllm.writing import Place


def choice_of(
    index: int, prompt: list[int], places: list[Place], body: dict[str, Any], wanted: list[int] | None, tokens: Tokens
) -> dict[str, Any]:
    """One choice: what was written up to its end, a token to stop at, or the length limit."""
    stops = set(body.get("stop_token_ids", ()))
    end = next((at for at, place in enumerate(places) if place.id in stops or place.id == IDS[END]), None)
    whole = end is not None and end < body["max_tokens"]
    kept = places[: end + 1] if whole and end is not None else places[: body["max_tokens"]]
    ids = [place.id for place in kept]
    texts = [tokens.decoded([one]) for one in ids]
    return {
        "index": index,
        "text": tokens.decoded(ids[:-1] if whole else ids),
        "logprobs": {
            "tokens": [f"token_id:{one}" for one in ids],
            "token_logprobs": [place.logprob() for place in kept],
            "top_logprobs": [
                {f"token_id:{one}": logprob for one, logprob in place.listed(wanted).items()} for place in kept
            ],
            "text_offset": [sum(map(len, texts[:at])) for at in range(len(texts))],
        },
        "finish_reason": "stop" if whole else "length",
        "stop_reason": ids[-1] if whole and ids[-1] in stops else None,
        "token_ids": ids,
        "prompt_logprobs": None,
        "prompt_token_ids": prompt,
    }


def reply_of(choices: list[dict[str, Any]], read: int, wrote: int, model: str) -> dict[str, Any]:
    """The whole reply, whose usage counts what was written, whether or not it is handed over."""
    return {
        "id": "cmpl-0",
        "object": "text_completion",
        "created": 1,
        "model": model,
        "choices": choices,
        "service_tier": None,
        "system_fingerprint": None,
        "usage": {
            "prompt_tokens": read,
            "total_tokens": read + wrote,
            "completion_tokens": wrote,
            "prompt_tokens_details": None,
        },
        "kv_transfer_params": None,
    }
