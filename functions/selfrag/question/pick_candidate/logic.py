"""Selection of the best answer by its passage and critique (arXiv 2310.11511, 3.3; pure)."""

from collections.abc import Sequence
from typing import Any

from selfrag.domain.answers import UNCITED, Citation, Draft
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment, draft_of, scale_of, score, utility_score
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.ranking import RankedAnswer, Vote, count_votes, rank_answers
from selfrag.domain.scores.shown import Node, Scores, Stopped, round_figure
from selfrag.domain.steps import PickCandidateResult, PickCandidateTask
from selfrag.domain.verdicts import Claim, JudgedBy, SupportLevel, SupportVerdict, UtilityVerdict

IRRELEVANT = "The answer rests on a passage that was found not to be relevant to the question."
UNSUPPORTED = "The passages do not support the answer."
# Characters without a following space.
_CLOSED = ("。", "！", "？", "」", "』", "）", "”", "’")


def pick(task: PickCandidateTask) -> PickCandidateResult:
    """Rank the paths or answers; for a closed set, the option with the highest sum wins with all voters' citations."""
    if task.tree:
        return _pick_path(task)
    order = rank_answers(task.candidates, task.weights, task.constraints, task.dates)
    inside = [candidate for candidate in order if not candidate.out]
    vote = count_votes(task.candidates, order, task.choices) if task.choices else None
    chosen = vote.voters[vote.option] if vote else [candidate.index for candidate in inside[: 0 if task.choices else 1]]
    winner = _winner(task.candidates, chosen, vote)
    shown = Scores(
        scale=scale_of(judgement for answer in task.candidates for judgement in answer.judgements),
        nodes=[_node(task, candidate, chosen) for candidate in sorted(order, key=lambda ranked: ranked.index)],
        votes=vote.sums if vote else {},
        stopped=task.stopped,
    )
    return PickCandidateResult(
        winner=winner, scores=shown, warnings=_warnings(winner, vote, inside if task.choices else [])
    )


def _winner(answers: Sequence[CritiquedAnswer], chosen: Sequence[int], vote: Vote | None) -> Draft | None:
    """Return the best chosen answer with the citations of all of them."""
    if not chosen:
        return None
    # In order of rank: the first is the best.
    best = answers[chosen[0]]
    answer = vote.option if vote else best.answer
    cited = [citation for index in sorted(chosen) for citation in answers[index].citations]
    if vote:
        cited = [citation.replace(answer_span=(0, len(answer))) for citation in cited]
    relevant = best.relevance is None or best.relevance.relevant
    return draft_of(best).replace(answer=answer, citations=cited, relevant=relevant)


def _node(task: PickCandidateTask, candidate: RankedAnswer, chosen: Sequence[int]) -> Node:
    answer = task.candidates[candidate.index]
    terms = answer.terms
    judged = bool(answer.answer) and terms.rel is not None
    document = task.documents.get(answer.passage_id or "", "")
    return Node(
        id=answer.passage_id or "",
        passage_id=answer.passage_id,
        document=document or (answer.relevance.document if answer.relevance else ""),
        text=answer.answer,
        state="chosen" if candidate.index in chosen else "pruned" if candidate.out else "kept",
        reason=candidate.out,
        rel=round_figure(terms.rel),
        sup=round_figure(terms.sup) if judged else None,
        use=round_figure(terms.use) if judged else None,
        score=round_figure(score(terms, task.weights)) if judged else None,
    )


def _warnings(winner: Draft | None, vote: Vote | None, voters: Sequence[RankedAnswer]) -> list[str]:
    warnings = []
    if winner and not winner.relevant:
        warnings.append(IRRELEVANT)
    if winner and winner.support.level == "no_support":
        warnings.append(UNSUPPORTED)
    unmatched = vote.unmatched if vote else len(voters)
    if unmatched:
        warnings.append(f"{unmatched} answers named none of the options, so they had no vote.")
    return warnings


def _pick_path(task: PickCandidateTask) -> PickCandidateResult:
    """Return the best path after the utility verdicts; one that ended early says why."""
    paths = best_first(task.beam, task.weights, task.dates)
    scores = Scores(
        scale=scale_of(judgement for path in paths for judgement in path.judgements),
        nodes=[_shown_node(node, paths, task.weights) for node in task.nodes],
        stopped=_stop_reason(task, paths),
    )
    return PickCandidateResult(
        winner=_best_path(paths[0]) if paths else None, scores=scores, warnings=_path_warnings(paths)
    )


def _stop_reason(task: PickCandidateTask, paths: Sequence[Path]) -> Stopped:
    """Return why the winner is unfinished or, without a winner, why the search ended."""
    if not paths:
        return task.stopped
    if paths[0].finished == "complete":
        return ""
    return "no_evidence" if paths[0].finished else task.stopped


def _best_path(path: Path) -> Draft:
    answer, citations = join_path(path.segments)
    return Draft(
        answer=answer,
        citations=citations,
        support=_path_support(path),
        utility=path.utility or UtilityVerdict(score=None),
        relevant=all(segment.relevance.relevant for segment in path.segments if segment.relevance),
    )


def _path_support(path: Path) -> SupportVerdict:
    """Return IsSup of a path: full if every sentence is, and each has a passage."""
    claims = [claim for segment in path.segments for claim in segment.support.claims]
    claims += [Claim(claim=segment.answer, support="none") for segment in path.segments if not segment.is_grounded]
    supports = [segment.support for segment in path.segments]
    models = dict.fromkeys(support.model for support in supports if support.model)
    # One sentence judged by rule makes the whole ungraded.
    judges: set[JudgedBy] = {support.judged_by for support in supports if support.model or support.judged_by == "rule"}
    by: JudgedBy = "rule" if "rule" in judges else "decider" if judges == {"decider"} else "model"
    odds = [support.probability for support in supports if support.probability is not None]
    return SupportVerdict(
        level=_path_level(path),
        claims=claims,
        model=", ".join(models),
        judged_by=by,
        probability=min(odds) if by == "decider" and len(odds) == len(supports) else None,
    )


def _path_level(path: Path) -> SupportLevel:
    levels: set[SupportLevel] = {
        (segment.support.level or "ungraded") if segment.is_grounded else "no_support" for segment in path.segments
    }
    if len(levels) == 1:
        return levels.pop()
    return "ungraded" if "ungraded" in levels else "partially_supported"


def _shown_node(node: Node, paths: Sequence[Path], weights: Weights) -> Node:
    """Return a tree node with its text if a path contains it, and the scores of its path."""
    inside = next((segment for path in paths for segment in path.segments if segment.id == node.id), None)
    if inside is None:
        return node
    chosen = any(segment.id == node.id for segment in paths[0].segments)
    fields: dict[str, Any] = {"text": inside.answer, "state": "chosen" if chosen else "kept"}
    ended = next((path for path in paths if path.id == node.id), None)
    if ended is not None and node.score is not None:
        use = utility_score(ended.utility) if ended.utility else None
        fields |= {"score": round_figure(path_score(ended, weights)), "use": round_figure(use)}
    return node.replace(**fields)


def _path_warnings(paths: Sequence[Path]) -> list[str]:
    """Return the flaws that soft constraints accept."""
    warnings: list[str] = []
    for number, segment in enumerate(paths[0].segments if paths else [], start=1):
        if not segment.is_grounded:
            warnings.append(f"Sentence {number} rests on no passage.")
        elif segment.relevance is not None and not segment.relevance.relevant:
            warnings.append(f"Sentence {number} rests on a passage that was graded irrelevant.")
        if segment.is_grounded and segment.support.level == "no_support":
            warnings.append(f"Sentence {number} is not supported by its passage.")
    return warnings


def join_path(segments: Sequence[Segment]) -> tuple[str, list[Citation]]:
    """Join the sentences of a path with their citations.

    Sentences without a citation or with a failed claim are marked. Repeated passages keep their citation number.
    """
    text = ""
    citations: list[Citation] = []
    for segment in segments:
        sentence = " ".join(segment.answer.split())
        text += "" if not text or text.endswith(_CLOSED) else " "
        start = len(text)
        text += sentence
        if segment.citations and segment.is_grounded and not any(claim.fails for claim in segment.support.claims):
            citations.append(segment.citations[0].replace(answer_span=(start, len(text))))
        else:
            text += f" {UNCITED}"
    return text, citations
