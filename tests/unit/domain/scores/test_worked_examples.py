"""The worked examples of `candidates` and `segments`, computed by hand."""

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment, score
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.ranking import rank_answers
from selfrag.domain.verdicts import Claim, RelevanceVerdict, SupportVerdict, UtilityVerdict
from tests.support.paper.candidates import ROWS, decided, labelled

WEIGHTS = Weights()


def winner(found: list[CritiquedAnswer], constraints="hard", weights=WEIGHTS) -> tuple[str, dict[str, float]]:
    order = rank_answers(found, weights, constraints)
    return found[order[0].index].passage_id or "", {found[r.index].passage_id or "": round(r.score, 6) for r in order}


def test_each_variant_has_its_winner() -> None:
    rows = [decided(name) for name in ROWS]
    assert winner(rows)[0] == "d2"
    assert winner(rows, "soft") == ("d2", {"d1": 1.692368, "d2": 1.8125, "d3": 1.688333})
    heavy, scores = winner(rows, weights=Weights(use=1.0))
    assert (heavy, scores["d1"], scores["d2"]) == ("d1", 2.037368, 2.025)
    assert winner([labelled(name) for name in ROWS]) == ("d2", {"d1": 1.9, "d2": 2.05, "d3": 1.8})


def test_a_decision_models_probabilities_give_the_papers_scores_to_a_billionth() -> None:
    expected = {"d1": (0.90 / 0.95, 0.400, 0.690), "d2": (0.8, 0.800, 0.425), "d3": (1 / 3, 0.925, 0.860)}
    for name, (rel, sup, use) in expected.items():
        terms = decided(name).terms
        assert abs((terms.rel or 0) - rel) < 1e-9
        assert abs(terms.sup - sup) < 1e-9
        assert abs(terms.use - use) < 1e-9
        assert abs(score(terms, WEIGHTS) - (rel + sup + use / 2)) < 1e-9


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
    return Path(segments=list(segments), finished="complete", utility=UtilityVerdict(score=5, probabilities=levels))


def test_a_decision_models_probabilities_rank_the_papers_paths_without_the_sequence_term() -> None:
    a, b = sentence("A", 0.95, (0.85, 0.10, 0.05)), sentence("B", 0.90, (0.60, 0.20, 0.20))
    best = path((0.0, 0.0, 0.05, 0.10, 0.85), a, sentence("A1", 0.90, (1.0, 0.0, 0.0), "A"))
    worst = path((0.30, 0.40, 0.20, 0.10, 0.0), a, sentence("A2", 0.70, (0.10, 0.20, 0.70), "A"))
    short = path((0.05, 0.05, 0.20, 0.45, 0.25), b)
    expected = [(best, (1.85 + 1.90) / 2 + 0.45), (short, 1.60 + 0.20), (worst, (1.85 + 0.90) / 2 - 0.225)]
    for found, worth in expected:
        assert abs(path_score(found, WEIGHTS) - worth) < 1e-9
    assert best_first([short, worst, best], WEIGHTS) == [best, short, worst]
