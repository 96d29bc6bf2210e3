"""The answer from a beam: the path with the highest score (arXiv 2310.11511, algorithm 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.domain.answers import Draft
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import labelled
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.shown import Node, Scores, Stopped, rounded, scale_of
from selfrag.domain.strategies import Generator
from selfrag.domain.verdicts import Claim, JudgedBy, SupportLevel, SupportVerdict, UtilityVerdict
from selfrag.question.pick_candidate.path_text import joined
from selfrag.question.pick_candidate.results import Result


@dataclass(frozen=True)
class Beam:
    """The paths at the end of the search, the tree, and the limit that `stopped` it before all were finished."""

    paths: Sequence[Path]
    nodes: Sequence[Node]
    generator: Generator
    weights: Weights
    stopped: Stopped


def pick_path(beam: Beam) -> Result:
    """Return the path with the highest score once the use of each is judged; one that ended early says why."""
    paths = best_first([_judged(path) for path in beam.paths], beam.weights)
    scores = Scores(
        scale=scale_of(beam.generator),
        generator=beam.generator,
        nodes=[_shown(node, paths, beam.weights) for node in beam.nodes],
        stopped=_stopped(beam, paths),
    )
    return Result(winner=_winner(paths[0]) if paths else None, scores=scores, warnings=_warnings(paths))


def _judged(path: Path) -> Path:
    """Return the path with s(Use): the told one, else the verdict's; 0 if the endpoint has not finished it."""
    if path.use is not None or path.utility is None:
        return path
    return path.model_copy(update={"use": labelled(None, SupportVerdict(level="ungraded"), path.utility).use})


def _stopped(beam: Beam, paths: Sequence[Path]) -> Stopped:
    """Return the reason why the winner is not finished; without a winner, the reason why the search ended."""
    if not paths:
        return beam.stopped
    if paths[0].finished == "complete":
        return ""
    return "no_evidence" if paths[0].finished else beam.stopped


def _winner(path: Path) -> Draft:
    answer, citations = joined(path.segments)
    return Draft(
        answer=answer,
        citations=citations,
        support=_support(path),
        utility=path.utility or UtilityVerdict(score=None),
        relevant=all(segment.relevance.relevant for segment in path.segments if segment.relevance),
    )


def _support(path: Path) -> SupportVerdict:
    """Return IsSup of the whole: full if every sentence is, and each rests on a passage."""
    claims = [claim for segment in path.segments for claim in segment.support.claims]
    claims += [Claim(claim=segment.answer, support="none") for segment in path.segments if not segment.grounded]
    models = dict.fromkeys(segment.support.model for segment in path.segments if segment.support.model)
    # One sentence that a rule judged, and the whole is no judgement.
    by_rule = any(segment.support.judged_by == "rule" for segment in path.segments)
    by: JudgedBy = "rule" if by_rule else "model"
    return SupportVerdict(level=_level(path), claims=claims, model=", ".join(models), judged_by=by)


def _level(path: Path) -> SupportLevel:
    levels = {segment.support.level if segment.grounded else "no_support" for segment in path.segments}
    if len(levels) == 1:
        return levels.pop()
    return "ungraded" if "ungraded" in levels else "partially_supported"


def _shown(node: Node, paths: Sequence[Path], weights: Weights) -> Node:
    """Return a line of the tree with its text if a path has it, and the score and use of the path that it ends."""
    inside = next((segment for path in paths for segment in path.segments if segment.id == node.id), None)
    if inside is None:
        return node
    chosen = any(segment.id == node.id for segment in paths[0].segments)
    told: dict[str, Any] = {"text": inside.answer, "state": "chosen" if chosen else "kept"}
    ended = next((path for path in paths if path.id == node.id), None)
    if ended is not None and node.score is not None:
        told |= {"score": rounded(path_score(ended, weights)), "use": rounded(ended.use)}
    return node.model_copy(update=told)


def _warnings(paths: Sequence[Path]) -> list[str]:
    """Return the flaws that soft constraints let through."""
    warnings: list[str] = []
    for number, segment in enumerate(paths[0].segments if paths else [], start=1):
        if not segment.grounded:
            warnings.append(f"Sentence {number} rests on no passage.")
        elif segment.relevance is not None and not segment.relevance.relevant:
            warnings.append(f"Sentence {number} rests on a passage that was graded irrelevant.")
        if segment.grounded and segment.support.level == "no_support":
            warnings.append(f"Sentence {number} is not supported by its passage.")
    return warnings
