"""The best of several answers, each with a passage and a critique of its own (arXiv 2310.11511, 3.3; pure)."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from selfrag.domain.answers import Draft
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Constraints, Critiqued, score, terms_of
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.ranking import Ranked, Vote, ranked, voted
from selfrag.domain.scores.shown import Node, Scores, Stopped, rounded, scale_of
from selfrag.domain.strategies import Generator
from selfrag.question.pick_candidate.beam import Beam, pick_path
from selfrag.question.pick_candidate.results import Result

IRRELEVANT = "The answer rests on a passage that was found not to be relevant to the question."
UNSUPPORTED = "The passages do not support the answer."


class Task(BaseModel):
    """The answers in retrieval order, the constraints and weights, and the options of a closed set, if there are any.

    `documents` names the document of each passage. `stopped` is the limit that kept further passages from being read.
    With `tree`, the paths of the `beam` are the answers, and `nodes` are their segments.
    """

    candidates: list[Critiqued] = []
    documents: dict[str, str] = {}
    constraints: Constraints = "hard"
    weights: Weights = Weights()
    choices: list[str] = []
    generator: Generator = "claude"
    stopped: Stopped = ""
    tree: bool = False
    beam: list[Path] = []
    nodes: list[Node] = []


def pick(task: Task) -> Result:
    """Rank the paths, or the answers; in a closed set the option with the highest sum wins, and all its voters cite."""
    if task.tree:
        return pick_path(Beam(task.beam, task.nodes, task.generator, task.weights, task.stopped))
    order = ranked(task.candidates, task.weights, task.constraints)
    inside = [one for one in order if not one.out]
    vote = voted(task.candidates, order, task.choices) if task.choices else None
    chosen = vote.voters[vote.option] if vote else [one.index for one in inside[: 0 if task.choices else 1]]
    winner = _winner(task.candidates, chosen, vote)
    shown = Scores(
        scale=scale_of(task.generator),
        generator=task.generator,
        nodes=[_node(task, one, chosen) for one in sorted(order, key=lambda one: one.index)],
        votes=vote.sums if vote else {},
        stopped=task.stopped,
    )
    return Result(winner=winner, scores=shown, warnings=_warnings(winner, vote, inside if task.choices else []))


def _winner(found: Sequence[Critiqued], chosen: Sequence[int], vote: Vote | None) -> Draft | None:
    """Return the best of the chosen answers, with the citations of all of them."""
    if not chosen:
        return None
    # In order of rank: the first is the best.
    best = found[chosen[0]]
    answer = vote.option if vote else best.answer
    cited = [citation for index in sorted(chosen) for citation in found[index].citations]
    if vote:
        cited = [citation.model_copy(update={"answer_span": (0, len(answer))}) for citation in cited]
    return Draft(
        answer=answer,
        citations=cited,
        support=best.support,
        utility=best.utility,
        cut=best.cut,
        not_said=best.not_said,
        relevant=best.relevance is None or best.relevance.relevant,
    )


def _node(task: Task, one: Ranked, chosen: Sequence[int]) -> Node:
    found = task.candidates[one.index]
    terms = terms_of(found)
    judged = bool(found.answer) and terms.rel is not None
    return Node(
        id=found.passage_id or "",
        passage_id=found.passage_id,
        document=_document(found, task.documents),
        text=found.answer,
        state="chosen" if one.index in chosen else "pruned" if one.out else "kept",
        reason=one.out,
        rel=rounded(terms.rel),
        sup=rounded(terms.sup) if judged else None,
        use=rounded(terms.use) if judged else None,
        seq=rounded(terms.seq) if judged and found.terms else None,
        score=rounded(score(terms, task.weights)) if judged else None,
    )


def _document(found: Critiqued, documents: Mapping[str, str]) -> str:
    known = documents.get(found.passage_id or "", "")
    return known or (found.relevance.document if found.relevance else "")


def _warnings(winner: Draft | None, vote: Vote | None, voters: Sequence[Ranked]) -> list[str]:
    warnings = []
    if winner and not winner.relevant:
        warnings.append(IRRELEVANT)
    if winner and winner.support.level == "no_support":
        warnings.append(UNSUPPORTED)
    unmatched = vote.unmatched if vote else len(voters)
    if unmatched:
        warnings.append(f"{unmatched} answers named none of the options, so they had no vote.")
    return warnings
