"""Responses as the workflow gives them, and questions whose answers are known."""

from collections.abc import Iterable, Sequence
from typing import Any

from selfrag.domain.answers import AnswerResponse
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.records import RunResult, VariantConfig
from selfrag_cli.lab.run import Variant
from tests.support.responses import response_body


def response(
    answer: str = "18 weeks.",
    status: str = "answered",
    citations: Sequence[tuple[str, str]] = (),
    usd: float | None = 0.01,
    rounds: int = 2,
) -> dict[str, Any]:
    """Return a response with citations of (document, quote)."""
    cited = [
        {"document": document, "quote": quote, "passage_id": "p", "answer_span": (0, 1)}
        for document, quote in citations
    ]
    return response_body(status, answer, citations=cited, rounds=rounds, cost_usd=usd)


def reflection(
    *relevance: tuple[str, float | None], level: str = "fully_supported", utility: int | None = 5
) -> dict[str, Any]:
    """Return the verdicts of a response: IsRel as (document, score), IsSup's level and IsUse's score."""
    return {
        "retrieve": {"decision": "yes", "reason": "r"},
        "relevance": [
            {
                "passage_id": "p",
                "document": document,
                "score": score,
                "relevant": (score or 0) >= 0.5,
                "label": "ungraded" if score is None else "relevant" if score >= 0.5 else "irrelevant",
            }
            for document, score in relevance
        ],
        "support": {"level": level, "claims": [{"claim": "c", "support": "full"}]},
        "utility": {"score": utility, "reason": "r"},
    }


def gold(question: str = "How long?", **fields: Any) -> GoldQuestion:
    """Return a question, by default one of which nothing is known."""
    return GoldQuestion(id=fields.pop("id", question), question=question, **fields)


def result(variant: str, question_id: str, body: dict[str, Any], seconds: float = 1.0) -> RunResult:
    """Return a variant's stored response to a question."""
    return RunResult(
        variant=variant,
        way=VariantConfig(),
        question_id=question_id,
        question=question_id,
        seconds=seconds,
        response=AnswerResponse.model_validate(body),
    )


def ways(variants: Iterable[Variant]) -> dict[str, VariantConfig]:
    """Return the identities of variants by their names."""
    return {variant.name: variant.way for variant in variants}
