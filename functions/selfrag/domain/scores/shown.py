"""Compared answers as shown to users: scores, and why each won or lost."""

from typing import Literal

from selfrag.domain.base import Model

Scale = Literal["probabilities", "labels", "mixed"]
Stopped = Literal["", "depth", "calls", "cost", "deadline", "no_evidence", "fault"]

_DIGITS = 6


class Node(Model):
    """An answer of `candidates` or a segment of `segments`; `parent` is the previous segment, "" for the first.

    `passage_id` is null without a passage. `text` is "" for pruned nodes of a tree; the trace has it. `rel`, `sup` and
    `use` are s(Rel), s(Sup) and s(Use); `score` is f, or for a segment that of its path; null means not judged.
    `reason` says why it was pruned.
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
    """All compared answers in order of writing; scores of different scales are not comparable.

    The scale is `probabilities` if a decision model gave all verdicts, `labels` if none, else `mixed`. `votes` has the
    sum of f of each option of a closed set. `stopped` is the limit that ended a search before its best path was
    finished.
    """

    scale: Scale
    nodes: list[Node] = []
    votes: dict[str, float] = {}
    stopped: Stopped = ""


def round_figure(figure: float | None) -> float | None:
    """Round a figure for display."""
    return None if figure is None else round(figure, _DIGITS)
