"""The tree for readers: a line for each segment, kept or pruned (pure)."""

from collections.abc import Mapping, Sequence

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Out, Terms, terms_of
from selfrag.domain.scores.paths import Path, path_score
from selfrag.domain.scores.shown import Node, rounded


def lines(grown: Sequence[Path], weights: Weights) -> list[Node]:
    """Return a line for the last segment of each path; its text stays with the path."""
    return [_line(path, weights) for path in grown]


def states(nodes: Sequence[Node], kept: Sequence[Path], reasons: Mapping[str, Out]) -> list[Node]:
    """Return the tree with the segments of kept paths as kept, and the reason for all others.

    A segment that was kept until now and has no path any more was outdone by others (`beam`).
    """
    inside = {segment.id for path in kept for segment in path.segments}
    return [
        node.model_copy(update={"state": "kept", "reason": ""})
        if node.id in inside
        else node.model_copy(update={"state": "pruned", "reason": node.reason or reasons.get(node.id) or "beam"})
        for node in nodes
    ]


def _line(path: Path, weights: Weights) -> Node:
    segment = path.segments[-1]
    terms = terms_of(segment) if segment.grounded else Terms(rel=None)
    judged = segment.grounded and terms.rel is not None
    told = segment.terms is not None
    return Node(
        id=segment.id,
        parent=segment.parent,
        passage_id=segment.passage_id,
        document=segment.relevance.document if segment.relevance else "",
        state="kept",
        rel=rounded(terms.rel),
        sup=rounded(terms.sup) if judged and not segment.support.ungraded else None,
        use=rounded(path.use),
        seq=rounded(terms.seq) if told else None,
        score=rounded(path_score(path, weights)) if judged else None,
    )
