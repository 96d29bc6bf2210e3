"""Responses as the workflow gives them, and questions whose answers are known."""

from collections.abc import Sequence
from typing import Any

from cli.evaluation.gold.questions import GoldQuestion


def response(
    answer: str = "18 weeks.",
    status: str = "answered",
    citations: Sequence[tuple[str, str]] = (),
    usd: float | None = 0.01,
    rounds: int = 2,
) -> dict[str, Any]:
    """A response with citations of (document, quote)."""
    cited = [{"document": document, "quote": quote, "passage_id": "p"} for document, quote in citations]
    usage = {"model_calls": 8, "rounds": rounds, "cost_usd": usd, "warnings": []}
    return {"id": "q", "status": status, "answer": answer, "citations": cited, "usage": usage, "path": ["Generate"]}


def gold(question: str = "How long?", **known: Any) -> GoldQuestion:
    """A question, by default one of which nothing is known."""
    return GoldQuestion(id=known.pop("id", question), question=question, **known)
