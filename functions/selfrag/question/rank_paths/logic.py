"""Beam search: the best of a level's new and finished paths (arXiv 2310.11511, algorithm 1)."""

from collections.abc import Mapping, Sequence

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Constraints, RejectionReason, ScoreTerms, Segment, rejection_reason
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.shown import Node, round_figure
from selfrag.domain.steps import RankPathsResult, RankPathsTask
from selfrag.text.state_budget import STATE_BUDGET_BYTES, cut_to_budget, size_of

# Reserved for the rest of the state: the sentences of a level, or the ledger and all verdicts.
LEVEL_BYTES = 96 * 1024


def rank(task: RankPathsTask) -> RankPathsResult:
    """Extend paths by their children or reject these, and keep the best that fit in the state.

    Finished paths compete with all new ones of any length; a live path without children is finished if it has a
    sentence.
    """
    before = {path.id: path for path in task.beam}
    reasons = {child.id: _rejection(child, before.get(child.parent), task.constraints) for child in task.children}
    grown = [
        Path(segments=[*(before[child.parent].segments if child.parent in before else []), child])
        for child in task.children
    ]
    new = [path for path in grown if not reasons[path.id]]
    best = best_first([*_finished_paths(task, new), *new], task.weights, task.dates)[: task.size]
    nodes = _states([*task.nodes, *(_to_node(path, task.weights) for path in grown)], best, reasons)
    beam, warnings = _fit_in_state(best, nodes)
    return RankPathsResult(beam=beam, nodes=_states(nodes, beam, reasons), warnings=warnings)


def _rejection(child: Segment, before: Path | None, constraints: Constraints) -> RejectionReason:
    """Return why a child cannot extend its path, or ""."""
    why = rejection_reason(child, constraints)
    if why in ("", "no_answer") and child.cut:
        return "cut"
    earlier = {_words(segment.answer) for segment in before.segments} if before else set()
    return "repeated" if not why and _words(child.answer) in earlier else why


def _finished_paths(task: RankPathsTask, new: Sequence[Path]) -> list[Path]:
    """Return the finished paths of the beam."""
    mothers = {path.segments[-2].id for path in new if len(path.segments) > 1}
    ended: list[Path] = []
    for path in task.beam:
        if path.finished:
            ended.append(path)
        elif path.id in task.complete:
            ended.append(path.replace(finished="complete"))
        elif path.id not in mothers:
            ended.append(path.replace(finished="no_evidence"))
    return ended


def _fit_in_state(paths: Sequence[Path], nodes: Sequence[Node]) -> tuple[list[Path], list[str]]:
    """Return the best paths that fit in the state, at least one, and a warning about the others."""
    used = LEVEL_BYTES + sum(size_of(node) for node in nodes)
    fitting, _, _ = cut_to_budget(paths, used)
    beam = fitting or list(paths[:1])
    if len(beam) == len(paths):
        return beam, []
    return beam, [f"The lowest-ranked paths were dropped: the state holds {STATE_BUDGET_BYTES} bytes."]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _states(nodes: Sequence[Node], paths: Sequence[Path], reasons: Mapping[str, RejectionReason]) -> list[Node]:
    """Return the tree with these paths' segments kept, and reasons for the others.

    A segment whose paths were outranked gets the reason `beam`.
    """
    inside = {segment.id for path in paths for segment in path.segments}
    return [
        node.replace(state="kept", reason="")
        if node.id in inside
        else node.replace(state="pruned", reason=node.reason or reasons.get(node.id) or "beam")
        for node in nodes
    ]


def _to_node(path: Path, weights: Weights) -> Node:
    """Return the tree node of a path's last segment; the text stays with the path."""
    segment = path.segments[-1]
    terms = segment.terms if segment.is_grounded else ScoreTerms(rel=None)
    judged = segment.is_grounded and terms.rel is not None
    return Node(
        id=segment.id,
        parent=segment.parent,
        passage_id=segment.passage_id,
        document=segment.relevance.document if segment.relevance else "",
        state="kept",
        rel=round_figure(terms.rel),
        sup=round_figure(terms.sup) if judged and not segment.support.ungraded else None,
        score=round_figure(path_score(path, weights)) if judged else None,
    )
