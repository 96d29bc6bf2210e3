"""The examples of PAPER.md 10 and 11, computed by hand there."""

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import CritiquedAnswer
from selfrag.domain.scores.ranking import ranked
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
