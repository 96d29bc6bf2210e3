"""Scores and selection of paths in the beam over segments (arXiv 2310.11511, algorithm 1)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from selfrag.domain.base import Model
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Segment, grounds, utility_score
from selfrag.domain.scores.ranking import ages, sort_by_score
from selfrag.domain.verdicts import Probable, UtilityVerdict

# Why a path is finished: by decision, or without remaining children. "" is live.
Finish = Literal["", "complete", "no_evidence"]


class Path(Model):
    """A sequence of segments; `utility` is IsUse of the finished path."""

    # Stored paths have further fields.
    model_config = ConfigDict(extra="ignore")

    segments: list[Segment] = Field(min_length=1)
    finished: Finish = ""
    utility: UtilityVerdict | None = None

    @property
    def id(self) -> str:
        """Return the last segment's id."""
        return self.segments[-1].id

    @property
    def judgements(self) -> list[Probable]:
        """Return the verdicts behind its score."""
        own = [self.utility] if self.utility and not self.utility.ungraded else []
        return [judgement for segment in self.segments for judgement in segment.judgements] + own


def path_score(path: Path, weights: Weights) -> float:
    """P = mean over the grounded segments of (w_rel s(Rel) + w_sup s(Sup)) + w_use s(Use) (ours).

    s(Use) counts 0 until it is judged. Segments without a passage do not enter the mean.
    """
    worth = [grounds(segment.terms, weights) for segment in path.segments if segment.is_grounded]
    return (sum(worth) / len(worth) if worth else 0.0) + weights.use * (
        utility_score(path.utility) if path.utility else 0.0
    )


def best_first(paths: Sequence[Path], weights: Weights, dates: Mapping[str, str] | None = None) -> list[Path]:
    """Sort paths by score; ties by finished, fewer segments, later dates, then earlier position."""
    age = ages(dates or {})
    places = {id(path): place for place, path in enumerate(paths)}
    return sort_by_score(
        paths,
        lambda path: path_score(path, weights),
        lambda path: (
            not path.finished,
            len(path.segments),
            [age(segment.passage_id) for segment in path.segments],
            places[id(path)],
        ),
    )
