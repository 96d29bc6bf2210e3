"""PickCandidate: the best answer by its critique, details of the others, and a closed set."""

from typing import Any

import pytest

from selfrag.domain.steps import PickCandidateTask
from selfrag.question.pick_candidate.logic import IRRELEVANT, UNSUPPORTED, pick

LEVELS = {1.0: "fully_supported", 0.5: "partially_supported", 0.0: "no_support"}


def candidate(name: str, rel: float | None = 0.9, sup: float = 1.0, use: int = 5, **more: Any) -> dict[str, Any]:
    """Return the workflow's state of the answer from one passage."""
    label = "ungraded" if rel is None else "relevant" if rel >= 0.5 else "irrelevant"
    relevance = {"passage_id": name, "document": f"{name}.md", "relevant": label == "relevant", "score": rel}
    answer = f"As {name} says."
    citation = {"passage_id": name, "document": f"{name}.md", "quote": "Q", "answer_span": [0, len(answer)]}
    return {
        "passage_id": name,
        "answer": answer,
        "citations": [citation],
        "relevance": {**relevance, "label": label},
        "support": {"level": LEVELS[sup]},
        "utility": {"score": use},
        **more,
    }


def picked(*candidates: dict[str, Any], **fields: Any) -> Any:
    return pick(PickCandidateTask.model_validate({"candidates": list(candidates), **fields}))


def test_the_best_answer_wins_and_the_others_are_shown_with_their_scores() -> None:
    result = picked(candidate("a", 0.8), candidate("b", 0.9), candidate("c", 0.2))
    assert (result.winner.answer, result.winner.relevant, result.warnings) == ("As b says.", True, [])
    assert [(n.id, n.state, n.reason, round(n.score, 6)) for n in result.scores.nodes] == [
        ("a", "kept", "", 2.3),
        ("b", "chosen", "", 2.4),
        ("c", "pruned", "irrelevant", 1.7),
    ]
    assert result.scores.scale == "labels"


@pytest.mark.parametrize(
    ("one", "warning"), [(candidate("a", 0.2), IRRELEVANT), (candidate("a", sup=0.0), UNSUPPORTED)]
)
def test_candidate_barred_by_hard_constraints_wins_under_soft_with_warning(one: dict[str, Any], warning: str) -> None:
    assert picked(one).winner is None
    soft = picked(one, constraints="soft")
    assert (soft.winner.answer, soft.warnings) == ("As a says.", [warning])
    assert soft.winner.relevant is (warning != IRRELEVANT)


def test_an_answer_whose_passage_has_no_verdict_never_wins() -> None:
    result = picked(candidate("a", None), constraints="soft")
    (node,) = result.scores.nodes
    assert (result.winner, node.state, node.reason, node.score) == (None, "pruned", "ungraded", None)


CLAIM = {"claim": "c", "support": "full"}
JUDGED_BY_DECIDER = {
    "relevance": {
        "passage_id": "a",
        "relevant": True,
        "score": 0.8,
        "label": "relevant",
        "probabilities": {"yes": 0.8, "no": 0.2},
    },
    "support": {
        "level": "fully_supported",
        "claims": [{**CLAIM, "probabilities": {"full": 0.7, "partial": 0.2, "none": 0.1}}],
    },
    "utility": {"score": 4, "probabilities": {"1": 0.05, "2": 0.05, "3": 0.20, "4": 0.40, "5": 0.30}},
}


def test_the_scale_says_whose_verdicts_the_scores_are_made_of() -> None:
    by_decider, by_claude = candidate("a", **JUDGED_BY_DECIDER), candidate("b")
    doubted = candidate("c", **{**JUDGED_BY_DECIDER, "support": {"level": "fully_supported", "claims": [CLAIM]}})
    without = candidate("d", None, support={"level": "ungraded"}, utility={"score": None})
    scales = [
        picked(*compared).scores.scale
        for compared in ([by_decider], [by_claude], [by_decider, by_claude], [doubted], [by_decider, without], [])
    ]
    assert scales == ["probabilities", "labels", "mixed", "mixed", "probabilities", "labels"]
    assert round(picked(by_decider).scores.nodes[0].score, 6) == 1.8125


CLOSED = [candidate("a", answer="true"), candidate("b", 0.95, answer="False"), candidate("c", 0.8, answer="True.")]


def test_option_votes_add_up_and_all_its_voters_cite() -> None:
    result = picked(*CLOSED, choices=["true", "false"])
    assert result.winner.answer == "true"
    assert [(c.passage_id, c.answer_span) for c in result.winner.citations] == [("a", (0, 4)), ("c", (0, 4))]
    assert {option: round(total, 6) for option, total in result.scores.votes.items()} == {"true": 4.7, "false": 2.45}
    assert [node.state for node in result.scores.nodes] == ["chosen", "kept", "chosen"]


def test_an_answer_that_names_no_option_has_no_vote_and_is_counted() -> None:
    result = picked(*CLOSED, candidate("d", 1.0, answer="Perhaps."), choices=["true", "false"])
    assert result.winner.answer == "true"
    assert result.warnings == ["1 answers named none of the options, so they had no vote."]
    nothing = picked(candidate("d", answer="Perhaps."), choices=["true", "false"])
    assert (nothing.winner, nothing.scores.votes) == (None, {})
    assert nothing.warnings == ["1 answers named none of the options, so they had no vote."]


def test_the_verdicts_that_are_shown_are_those_of_the_best_vote() -> None:
    result = picked(
        candidate("a", 0.6, 0.5, answer="true"), candidate("b", 0.9, 1.0, answer="true"), choices=["true", "no"]
    )
    assert result.winner.support.level == "fully_supported"
