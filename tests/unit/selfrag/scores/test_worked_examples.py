"""The examples of PAPER.md 10 and 11, computed by hand there."""

from selfrag.domain.questions import Weights
from selfrag.domain.scores import terms
from selfrag.domain.scores.critiqued import Critiqued, Segment, Terms
from selfrag.domain.scores.paths import Path, best_first, path_score
from selfrag.domain.scores.ranking import ranked
from selfrag.domain.scores.tokens import UTILITY
from tests.support.paper.candidates import ROWS, critiqued, distribution, labelled

WEIGHTS = Weights()


def winner(found: list[Critiqued], constraints="hard", weights=WEIGHTS) -> tuple[str, dict[str, float]]:
    order = ranked(found, weights, constraints)
    return found[order[0].index].passage_id or "", {found[r.index].passage_id or "": round(r.score, 6) for r in order}


def test_the_scores_of_each_answer_are_those_of_the_paper_to_six_digits() -> None:
    assert winner([critiqued(name) for name in ROWS], "soft") == (
        "d3",
        {"d1": 2.511099, "d2": 2.517188, "d3": 2.593171},
    )


def test_each_variant_has_its_winner() -> None:
    rows = [critiqued(name) for name in ROWS]
    assert winner(rows)[0] == "d2"
    without = [critiqued(name, seq=0.0) for name in ROWS]
    assert winner(without, "soft") == ("d2", {"d1": 1.692368, "d2": 1.8125, "d3": 1.688333})
    heavy, scores = winner(rows, weights=Weights(use=1.0))
    assert (heavy, scores["d1"], scores["d2"]) == ("d1", 2.856099, 2.729688)
    assert winner([labelled(name) for name in ROWS]) == ("d2", {"d1": 1.9, "d2": 2.05, "d3": 1.8})


def segment(name: str, seq: float, relevance, support) -> Segment:
    found = distribution(relevance, support)
    told = Terms(rel=terms.relevance_score(found), sup=terms.support_score(found) or 0.0, seq=seq)
    return Segment(id=name, passage_id=name, answer=name, terms=told)


A = segment("A", 0.80, (0.95, 0.05), (0.85, 0.10, 0.05))
B = segment("B", 0.75, (0.90, 0.10), (0.60, 0.20, 0.20))
C = segment("C", 0.70, (0.60, 0.40), (0.30, 0.40, 0.30))
A1 = segment("A1", 0.85, (0.90, 0.10), (1.0, 0.0, 0.0))
A2 = segment("A2", 0.60, (0.70, 0.30), (0.10, 0.20, 0.70))


def use(*found: float) -> float | None:
    return terms.utility_score(dict(zip(UTILITY, found, strict=True)))


def test_a_path_is_worth_the_mean_of_its_segments_and_its_use() -> None:
    b = Path(segments=[B], finished="complete", use=use(0.05, 0.05, 0.20, 0.45, 0.25))
    a1 = Path(segments=[A, A1], finished="complete", use=use(0, 0, 0.05, 0.10, 0.85))
    a2 = Path(segments=[A, A2], finished="complete", use=use(0.30, 0.40, 0.20, 0.10, 0))
    worth = [round(path_score(path, WEIGHTS), 6) for path in (Path(segments=[A]), b, Path(segments=[C]), a1, a2)]
    assert worth == [2.65, 2.55, 1.8, 3.15, 1.85]
    assert [path.id for path in best_first([b, a1, a2], WEIGHTS)] == ["A1", "B", "A2"]
