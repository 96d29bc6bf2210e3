"""The state of `segments`: the beam, the paths and sentences of the current level, and the tree so far."""

from typing import Any, Literal

from selfrag.domain.answers import Citation
from selfrag.domain.base import Model
from selfrag.domain.scores.critiqued import Critiqued, Segment
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.shown import Node, Stopped
from selfrag.domain.verdicts import Decision
from selfrag.plan.reports import Report
from selfrag.plan.situation import Situation

Ahead = Literal["", "write", "decide"]


class Beam(Model):
    """The best paths, and `nodes`, the tree so far."""

    beam: list[Path] = []
    nodes: list[Node] = []


class Live(Model):
    """A path that goes on: the text so far, the decision at its end, and the passages of its next sentences.

    The root has no id. A null passage is a sentence without one.
    """

    id: str = ""
    so_far: str = ""
    told: str = ""
    last_answer: str = ""
    last_passage: str | None = None
    decision: Decision | None = None
    found: list[str | None] = []


class Sentence(Critiqued):
    """A sentence in progress, below the path `parent`; `out` says that nothing is written from its passage."""

    id: str
    parent: str
    so_far: str = ""
    out: bool = False
    next: Decision | None = None

    @property
    def stands(self) -> bool:
        """Return whether there is a text to check against a passage."""
        return bool(self.answer) and self.passage_id is not None

    def texted(self, report: Report) -> "Sentence":
        """Return it with the text of a report."""
        cited = [Citation.model_validate(one) for one in report.get("citations", [])]
        told = {"answer": report.get("answer", ""), "citations": cited, "cut": report.flaw == "cut"}
        return self.model_copy(update=told)

    @property
    def segment(self) -> Segment:
        """Return the part of it that is compared: without a text if its passage is out."""
        kept: dict[str, Any] = {name: getattr(self, name) for name in Segment.model_fields if hasattr(self, name)}
        unwritten = {"answer": "", "citations": [], "cut": False} if self.out else {}
        return Segment.model_construct(**{**kept, "told": "", **unwritten})


class Tree(Situation):
    """The state between two passes of `segments`.

    `first` is the root's decision, and `direct` says that one answer is written in place of a tree. `live` are the
    paths that go on in this level, `purse` is the budget of each, and `ahead` the speculative work: the sentences in
    parallel with IsRel, and the next decisions in parallel with IsSup. `complete` are the ids of paths that are
    complete answers. Times are in milliseconds.
    """

    stage: Literal["begin", "next", "search", "read", "write", "judge", "request", "rank", "use", "pick"] = "begin"
    query: str = ""
    first: Decision = "ungraded"
    direct: bool = False
    compared: Beam = Beam()
    level: int = 1
    live: list[Live] = []
    complete: list[str] = []
    sentences: list[Sentence] = []
    ends: list[str] = []
    ahead: Ahead = ""
    purse: float | None = None
    level_began_ms: float = 0.0
    longest_ms: float = 0.0
    stopped: Stopped = ""


def live_paths(known: Tree) -> list[Live]:
    """Return the paths that go on, with their decisions where they are known; the root is the first."""
    if known.level == 1:
        return [Live(decision=known.first)]
    return [
        Live(
            id=path.id,
            so_far=" ".join(segment.answer for segment in path.segments),
            told=path.segments[-1].told,
            last_answer=path.segments[-1].answer,
            last_passage=path.segments[-1].passage_id,
            decision=path.segments[-1].next,
        )
        for path in known.compared.beam
        if not path.finished
    ]


def sentences_of(live: list[Live]) -> list[Sentence]:
    """Return a sentence for each passage of each path, numbered below it."""
    return [
        Sentence(
            id=".".join(filter(None, [path.id, str(number)])),
            parent=path.id,
            so_far=path.so_far,
            passage_id=passage_id,
        )
        for path in live
        for number, passage_id in enumerate(path.found, start=1)
    ]
