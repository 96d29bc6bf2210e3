"""Responses as the workflow gives them."""

from collections.abc import Sequence
from typing import Any


def response_body(
    status: str, answer: str, citations: Sequence[dict[str, Any]] = (), rounds: int = 2, cost_usd: float | None = 0.01
) -> dict[str, Any]:
    """Return a response without verdicts."""
    counts = dict.fromkeys(("cached_verdicts", "input_tokens", "output_tokens", "cache_read_input_tokens"), 0)
    return {
        "id": "q",
        "status": status,
        "answer": answer,
        "citations": list(citations),
        "reflection": {"retrieve": None, "relevance": [], "support": None, "utility": None},
        "path": ["Generate"],
        "queries": [],
        "usage": {**counts, "model_calls": 8, "rounds": rounds, "cost_usd": cost_usd, "by_step": {}, "warnings": []},
        "execution": {"arn": "arn", "console_url": None},
    }
