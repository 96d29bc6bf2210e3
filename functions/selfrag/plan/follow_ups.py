"""The earlier turn of a follow-up, from the stored item of its answer."""

from collections.abc import Collection
from typing import Any

from selfrag.domain.answers import Exchange, Turn
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.plan.reports import Report

UNREADABLE = "The earlier answer could not be read, so the question stands alone."
NOT_FOUND = "The earlier question was not found, so this one stands alone."


def earlier_turn(
    report: Report, collections: Collection[str], now_ms: float
) -> tuple[Turn, list[RelevanceVerdict], list[str]]:
    """Return the earlier turn, the verdicts on its evidence, and a warning if there is none.

    Only a caller who may ask all collections of the earlier answer may see any of it: to other callers it looks like
    one that expired. The item of a running question has no answer yet.
    """
    if report.result is None:
        return Turn(), [], [UNREADABLE]
    item = report.result.get("Item") or {}
    asked = {name["S"] for name in item.get("collections", {}).get("L", [])}
    if "answer" not in item or not asked or not asked <= set(collections) or _expired(item, now_ms):
        return Turn(), [], [NOT_FOUND]
    turn = Turn(question=item["question"]["S"], answer=item["answer"]["S"], before=_before(item))
    evidence = [_evidence(one["M"]) for one in item.get("evidence", {}).get("L", [])]
    return turn, evidence, []


def _before(item: dict[str, Any]) -> Exchange | None:
    """Return the turn before the earlier one, which the asker of the earlier question was allowed to read."""
    fields = item.get("turn_before", {}).get("M", {})
    texts = {name: value["S"] for name, value in fields.items()}
    return Exchange(**texts) if texts.get("answer") else None


def _expired(item: dict[str, Any], now_ms: float) -> bool:
    # DynamoDB deletes expired items within days, not at the moment.
    return 1000 * float(item["expires_at"]["N"]) <= now_ms


def _evidence(kept: dict[str, Any]) -> RelevanceVerdict:
    return RelevanceVerdict(
        passage_id=kept["passage_id"]["S"],
        relevant=True,
        score=float(kept["score"]["N"]),
        label="relevant",
        cached=True,
    )
