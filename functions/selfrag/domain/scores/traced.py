"""The answers that were compared, from the steps of an execution, before a response tells them (pure)."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from selfrag.domain.history import Step
from selfrag.domain.scores.shown import Scores, scale_of


def scores_of(steps: Sequence[Step]) -> Scores | None:
    """Return the last comparison; null before the first, and where one of another release has more fields."""
    for step in reversed(steps):
        comparison = (
            _COMPARISONS[step.name](step) if step.name in _COMPARISONS and isinstance(step.result, dict) else None
        )
        try:
            if comparison:
                return Scores.model_validate(comparison, extra="ignore")
        except ValidationError:
            continue
    return None


def _picked(step: Step) -> Any:
    return step.result.get("scores")


def _ranked(step: Step) -> dict[str, Any] | None:
    """Return a level of the tree, which has the texts of the paths that go on beside it."""
    nodes, task = step.result.get("nodes"), step.task if isinstance(step.task, dict) else {}
    if not isinstance(nodes, list):
        return None
    texts, generator = _texts(step.result.get("beam")), task.get("generator", "claude")
    return {
        "scale": scale_of(generator),
        "generator": generator,
        "nodes": [{**node, "text": texts.get(str(node.get("id")), "")} for node in nodes if isinstance(node, dict)],
    }


# The steps that compare, and so tell of all that was written before them.
_COMPARISONS = {"RankPaths": _ranked, "PickCandidate": _picked}


def texts_of(steps: Sequence[Step]) -> dict[str, str]:
    """Return the text of each segment that a step compared, by its id, kept or not."""
    return _texts([step.task for step in steps if step.name in _COMPARISONS])


def _texts(value: Any) -> dict[str, str]:
    return {
        item["id"]: item["answer"] for item in _objects(value) if isinstance(item.get("id"), str) and item.get("answer")
    }


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)
