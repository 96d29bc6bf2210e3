"""The beam over segments: what a path is worth, and which paths are kept (arXiv 2310.11511, algorithm 1)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from selfrag.domain.base import Model
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Segment, grounds, terms_of
from selfrag.domain.scores.ranking import in_order
from selfrag.domain.verdicts import UtilityVerdict

# Why a path is finished: its generator said so, or no child of it remained. "" is live.
Finish = Literal["", "complete", "no_evidence"]


class Path(Model):
    """Segments one after the other; `utility` is IsUse of the whole, judged when it is finished."""

    # The workflow keeps more with it.
    model_config = ConfigDict(extra="ignore")

    segments: list[Segment] = Field(min_length=1)
    finished: Finish = ""
    utility: UtilityVerdict | None = None
    use: float | None = None

    @property
    def id(self) -> str:
        """Return the id of its last segment."""
        return self.segments[-1].id


def path_score(path: Path, weights: Weights) -> float:
    """P = mean over the grounded segments of (q + w_rel s(Rel) + w_sup s(Sup)) + w_use s(Use) (ours).

    `use` is s(Use), null until it is judged, which counts 0. Segments without a passage do not enter the mean.
    """
    worth = [grounds(terms_of(segment), weights) for segment in path.segments if segment.grounded]
    return (sum(worth) / len(worth) if worth else 0.0) + weights.use * (path.use or 0.0)


def best_first(paths: Sequence[Path], weights: Weights) -> list[Path]:
    """Paths by score; of equals a finished one is better, then one of fewer segments, then the earlier."""
    places = {id(path): place for place, path in enumerate(paths)}
    return in_order(
        paths,
        lambda path: path_score(path, weights),
        lambda path: (not path.finished, len(path.segments), places[id(path)]),
    )
