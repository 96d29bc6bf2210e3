"""What the steps of an execution tell of the answers that were compared, before a response does (pure)."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from selfrag.domain.history import Step
from selfrag.domain.scores.shown import Scores

# The steps that compare, and so tell of all that was written before them.
_COMPARING = ("RankPaths", "PickCandidate")


def scores_of(steps: Sequence[Step]) -> Scores | None:
    """The last comparison that was made; null before the first, and where one of another release says more."""
    told = [step.result.get("scores") for step in steps if step.name in _COMPARING and isinstance(step.result, dict)]
    for scores in reversed(told):
        try:
            return Scores.model_validate(scores, extra="ignore")
        except ValidationError:
            continue
    return None


def texts_of(steps: Sequence[Step]) -> dict[str, str]:
    """What each segment said that a step compared, by its id, whether or not it was kept."""
    found = (one for step in steps if step.name in _COMPARING for one in _objects(step.given))
    return {one["id"]: one["answer"] for one in found if isinstance(one.get("id"), str) and one.get("answer")}


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)
