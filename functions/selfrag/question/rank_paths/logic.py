"""The best paths of a level: of the finished ones in the beam and all new ones (arXiv 2310.11511, algorithm 1)."""

from collections.abc import Sequence

from pydantic import BaseModel

from selfrag.domain.calls import StepResult
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Constraints, Out, Segment, out
from selfrag.domain.scores.paths import Path, best_first
from selfrag.domain.scores.shown import Node
from selfrag.domain.strategies import Generator
from selfrag.question.rank_paths.tree import lines, states
from selfrag.text.state_budget import STATE_BUDGET_BYTES, size_of, within_budget

# The rest of the state next to the paths: the sentences of a level, or the ledger and all verdicts.
LEVEL_BYTES = 96 * 1024


class Task(BaseModel):
    """The beam, the sentences written at the end of its live paths, and the ids of those that are `complete`.

    `nodes` is the tree so far, `size` the number of paths to keep.
    """

    generator: Generator = "claude"
    beam: list[Path] = []
    complete: list[str] = []
    children: list[Segment] = []
    nodes: list[Node] = []
    size: int = 2
    constraints: Constraints = "hard"
    weights: Weights = Weights()


class Result(StepResult):
    """The beam, best first, and the tree with a line for each child."""

    beam: list[Path]
    nodes: list[Node]


def rank(task: Task) -> Result:
    """Extend the paths by their children, or say why a child cannot, and keep the best that the state can hold.

    A finished path competes with all new ones, whatever their length; a live one that gained no child stays as
    finished, if it has a sentence.
    """
    before = {path.id: path for path in task.beam}
    reasons = {child.id: _out(child, before.get(child.parent), task.constraints) for child in task.children}
    grown = [_grown(task, before.get(child.parent), child) for child in task.children]
    new = [path for path in grown if not reasons[path.id]]
    kept = best_first([*_staying(task, new), *new], task.weights)[: task.size]
    nodes = states([*task.nodes, *lines(grown, task.weights)], kept, reasons)
    beam, warnings = _fitting(kept, nodes)
    return Result(beam=beam, nodes=states(nodes, beam, reasons), warnings=warnings)


def _out(child: Segment, before: Path | None, constraints: Constraints) -> Out:
    """Return the reason why a child cannot extend its path, "" if it can."""
    why = out(child, constraints)
    if why in ("", "no_answer") and child.cut:
        return "cut"
    said = {_words(segment.answer) for segment in before.segments} if before else set()
    return "repeated" if not why and _words(child.answer) in said else why


def _grown(task: Task, before: Path | None, child: Segment) -> Path:
    """Return the path that ends with a child; the endpoint reports with it whether the path is complete, and its use.

    Only the last segment keeps the text of the path with its tokens.
    """
    earlier = [segment.model_copy(update={"told": ""}) for segment in before.segments] if before else []
    if task.generator == "selfrag" and child.next == "complete":
        use = child.terms.use if child.terms else None
        return Path(segments=[*earlier, child], finished="complete", use=use, utility=child.utility)
    return Path(segments=[*earlier, child])


def _staying(task: Task, new: Sequence[Path]) -> list[Path]:
    """Return the paths of the beam that are finished now."""
    mothers = {path.segments[-2].id for path in new if len(path.segments) > 1}
    ended: list[Path] = []
    for path in task.beam:
        if path.finished:
            ended.append(path)
        elif path.id in task.complete:
            ended.append(path.model_copy(update={"finished": "complete"}))
        elif path.id not in mothers:
            ended.append(path.model_copy(update={"finished": "no_evidence"}))
    return ended


def _fitting(kept: Sequence[Path], nodes: Sequence[Node]) -> tuple[list[Path], list[str]]:
    """Return as many paths as the state can hold, at least the best, and a warning for the others."""
    used = LEVEL_BYTES + sum(size_of(node) for node in nodes)
    fitting, _, _ = within_budget(kept, used)
    beam = fitting or list(kept[:1])
    if len(beam) == len(kept):
        return beam, []
    return beam, [f"The lowest-ranked paths were dropped: the state holds {STATE_BUDGET_BYTES} bytes."]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
