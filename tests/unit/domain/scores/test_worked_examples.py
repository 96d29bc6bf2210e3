"""The examples of PAPER.md 10 and 11, computed by hand there."""

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment, terms_of, use_of
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.ranking import ranked
from selfrag.domain.verdicts import Claim, RelevanceVerdict, SupportVerdict, UtilityVerdict
from tests.support.paper.candidates import ROWS, critiqued, labelled

WEIGHTS = Weights()


def winner(found: list[CritiquedAnswer], constraints="hard", weights=WEIGHTS) -> tuple[str, dict[str, float]]:
    order = ranked(found, weights, constraints)
    return found[order[0].index].passage_id or "", {found[r.index].passage_id or "": round(r.score, 6) for r in order}


def test_each_variant_has_its_winner() -> None:
    rows = [critiqued(name) for name in ROWS]
    assert winner(rows)[0] == "d2"
    without = [critiqued(name, seq=0.0) for name in ROWS]
    assert winner(without, "soft") == ("d2", {"d1": 1.692368, "d2": 1.8125, "d3": 1.688333})
    heavy, scores = winner(rows, weights=Weights(use=1.0))
    assert (heavy, scores["d1"], scores["d2"]) == ("d1", 2.856099, 2.729688)
    assert winner([labelled(name) for name in ROWS]) == ("d2", {"d1": 1.9, "d2": 2.05, "d3": 1.8})


def decided(name: str) -> CritiquedAnswer:
    """Return the answer as a decision model judges it: the same probabilities, with room for what it cannot tell."""
    (relevant, irrelevant), (full, partial, none), use, _, _ = ROWS[name]
    rel = relevant / (relevant + irrelevant)
    support = {"full": full * 0.9, "partial": partial * 0.9, "none": none * 0.9, "contradicted": 0.0}
    return CritiquedAnswer(
        passage_id=name,
        answer="A.",
        relevance=RelevanceVerdict(
            passage_id=name,
            relevant=rel > 0.5,
            score=rel,
            probability=rel,
            label="relevant" if rel > 0.5 else "irrelevant",
        ),
        support=SupportVerdict(
            level="partially_supported",
            claims=[
                Claim(claim="A.", support="partial", probability=full, probabilities={**support, "cannot_tell": 0.1})
            ],
        ),
        utility=UtilityVerdict(score=5, probabilities={str(level): p for level, p in enumerate(use, start=1)}),
    )


def test_a_decision_models_probabilities_give_the_papers_scores_to_a_billionth() -> None:
    found = [decided(name) for name in ROWS]
    for name, answer in zip(ROWS, found, strict=True):
        ours, papers = terms_of(answer), terms_of(critiqued(name))
        assert abs((ours.rel or 0) - (papers.rel or 0)) < 1e-9
        assert abs(ours.sup - papers.sup) < 1e-9
        assert abs(ours.use - papers.use) < 1e-9
    order = ranked(found, WEIGHTS, "soft")
    scores = {found[entry.index].passage_id: entry.score for entry in order}
    assert found[order[0].index].passage_id == "d2"
    for name, expected in {"d1": 1.692368421, "d2": 1.8125, "d3": 1.688333333}.items():
        assert abs(scores[name] - expected) < 1e-9


def sentence(name: str, relevant: float, support: tuple[float, float, float], parent: str = "") -> Segment:
    full, partial, none = support
    odds = {"full": full, "partial": partial, "none": none, "contradicted": 0.0, "cannot_tell": 0.0}
    return Segment(
        id=name,
        parent=parent,
        passage_id=name,
        answer=f"{name}.",
        relevance=RelevanceVerdict(passage_id=name, relevant=True, score=relevant, label="relevant"),
        support=SupportVerdict(
            level="fully_supported", claims=[Claim(claim=f"{name}.", support="full", probabilities=odds)]
        ),
    )


def path(use: tuple[float, ...], *segments: Segment) -> Path:
    levels = {str(level): p for level, p in enumerate(use, start=1)}
    return Path(segments=list(segments), finished="complete", use=use_of(UtilityVerdict(score=5, probabilities=levels)))


def test_a_decision_models_probabilities_rank_the_papers_paths_without_the_sequence_term() -> None:
    a, b = sentence("A", 0.95, (0.85, 0.10, 0.05)), sentence("B", 0.90, (0.60, 0.20, 0.20))
    best = path((0.0, 0.0, 0.05, 0.10, 0.85), a, sentence("A1", 0.90, (1.0, 0.0, 0.0), "A"))
    worst = path((0.30, 0.40, 0.20, 0.10, 0.0), a, sentence("A2", 0.70, (0.10, 0.20, 0.70), "A"))
    short = path((0.05, 0.05, 0.20, 0.45, 0.25), b)
    expected = [(best, (1.85 + 1.90) / 2 + 0.45), (short, 1.60 + 0.20), (worst, (1.85 + 0.90) / 2 - 0.225)]
    for found, score in expected:
        assert abs(path_score(found, WEIGHTS) - score) < 1e-9
    assert best_first([short, worst, best], WEIGHTS) == [best, short, worst]
