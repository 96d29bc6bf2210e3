"""The answers that were compared, as a reader sees them: each with its scores, and why it won or not."""

from typing import Literal

from selfrag.domain.base import Model

Scale = Literal["probabilities", "labels", "mixed"]
Stopped = Literal["", "depth", "calls", "cost", "deadline", "no_evidence", "fault"]

_DIGITS = 6


class Node(Model):
    """One answer of `candidates`, or one segment of `segments`; `parent` is the segment before it, "" for the first.

    `passage_id` is null of what rests on no passage. `text` is "" of what was pruned in a tree, which the trace has.
    `rel`, `sup` and `use` are s(Rel), s(Sup) and s(Use), and `score` is f, or of a segment that of the path that ends
    with it; null is what was not judged. `reason` says why it was pruned.
    """

    id: str
    parent: str = ""
    passage_id: str | None
    document: str = ""
    text: str = ""
    state: Literal["chosen", "kept", "pruned"]
    reason: str = ""
    rel: float | None = None
    sup: float | None = None
    use: float | None = None
    score: float | None = None


class Scores(Model):
    """All that were compared, in the order in which they were written; scores of two scales are not comparable.

    The scale is `probabilities` if a decision model gave all verdicts, `labels` if it gave none, else `mixed`. `votes`
    has the sum of f of each option of a closed set. `stopped` is what ended a search of segments before its best path
    was finished.
    """

    scale: Scale
    nodes: list[Node] = []
    votes: dict[str, float] = {}
    stopped: Stopped = ""


def rounded(figure: float | None) -> float | None:
    """Round a figure for a reader."""
    return None if figure is None else round(figure, _DIGITS)
