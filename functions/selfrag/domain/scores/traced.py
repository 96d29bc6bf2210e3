"""The answers that were compared, from the steps of an execution, before a response tells them (pure)."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from selfrag.domain.history import Step
from selfrag.domain.scores.critiqued import scale_of
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.shown import Scores


def scores_of(steps: Sequence[Step]) -> Scores | None:
    """Return the last comparison; null before the first, and where one of another release has more fields."""
    for step in reversed(steps):
        if step.name not in _COMPARISONS or not isinstance(step.result, dict):
            continue
        with suppress(ValidationError):
            if comparison := _COMPARISONS[step.name](step):
                return Scores.model_validate(comparison, extra="ignore")
    return None


def _picked(step: Step) -> Any:
    return step.result.get("scores")


def _ranked(step: Step) -> dict[str, Any] | None:
    """Return a level of the tree, which has the texts of the paths that go on beside it."""
    nodes, beam = step.result.get("nodes"), step.result.get("beam") or []
    if not isinstance(nodes, list):
        return None
    paths = [Path.model_validate(path, extra="ignore") for path in beam]
    texts = {segment.id: segment.answer for path in paths for segment in path.segments}
    return {
        "scale": scale_of(judgement for path in paths for judgement in path.judgements),
        "nodes": [{**node, "text": texts.get(str(node.get("id")), "")} for node in nodes if isinstance(node, dict)],
    }


# The steps that compare, and so tell of all that was written before them.
_COMPARISONS = {"RankPaths": _ranked, "PickCandidate": _picked}
