"""Errors in the published code of the paper's tree, by their visible effects."""

from typing import Any

import pytest

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Segment, utility_score
from selfrag.domain.scores.paths import Path, path_score
from selfrag.domain.verdicts import RelevanceVerdict, UtilityVerdict
from tests.support.paper.segments import EXAMPLE, WEAK, Row, by_decider
from tests.workflow.paper.test_segments import grow


def scores(response: dict[str, Any]) -> dict[str, float]:
    return {node["id"]: node["score"] for node in response["scores"]["nodes"]}


def test_a_more_useful_answer_scores_higher() -> None:
    """7: it looped over IsSup's three tokens for IsUse's five, and the use was always 0."""
    certain = [UtilityVerdict(score=3, probabilities={str(level): 1.0}) for level in range(1, 6)]
    assert [utility_score(verdict) for verdict in certain] == [-1.0, -0.5, 0.0, 0.5, 1.0]
    useless = {**EXAMPLE, "2": (*EXAMPLE["2"][:5], (1.0, 0.0, 0.0, 0.0, 0.0))}
    better, _ = grow(**by_decider(EXAMPLE))
    worse, _ = grow(**by_decider(useless))
    assert scores(better)["2"] == pytest.approx(1.8)
    assert scores(worse)["2"] == pytest.approx(1.1)


def test_weights_that_a_request_gives_decide_which_answer_wins() -> None:
    """8: those of the command line never arrived."""
    deeper_is_worse = {**EXAMPLE, "1.1": WEAK}
    assert grow(**by_decider(deeper_is_worse))[0]["answer"] == "All have leave."
    by_relevance = {"rel": 1.0, "sup": 0.0, "use": 0.0}
    response, _ = grow({"weights": by_relevance}, **by_decider(EXAMPLE))
    assert scores(response) == pytest.approx({"1": 0.95, "2": 0.90, "3": 0.60, "1.1": 0.925, "1.2": 0.825})


def test_a_sentence_follows_its_own_path_and_never_the_one_beside_it() -> None:
    """10: from the second sentence on, the prompt held a sibling's text instead of the parent's."""
    both: dict[str, Row] = {**EXAMPLE, "2": (*EXAMPLE["2"][:4], "yes", ())}
    _, scripted = grow({"max_segments": 2}, **by_decider(both))
    written = [event["so_far"] for event in scripted.events_of("generate")]
    assert sorted(written) == ["", "", "", *["All have leave."] * 2, *["Leave is 25 days."] * 2]


def test_a_finished_answer_is_not_lost_to_a_deeper_worse_one() -> None:
    """11: a finished path of 1.975 was dropped, and its neighbour's 0.26 child was returned."""
    response, _ = grow(**by_decider({**EXAMPLE, "1.1": WEAK}))
    assert (response["status"], response["answer"]) == ("answered", "All have leave.")


def test_each_citation_is_of_the_passage_that_its_sentence_was_written_from() -> None:
    """14: a duplicate that was left out shifted later numbers, and each sentence lost its last character."""
    twice: dict[str, Row] = {**EXAMPLE, "1.1": ("e1", "Leave is 25 days.", *EXAMPLE["1.1"][2:])}
    twice["1.2"] = ("e2", "All may be kept", (0.9, 0.1), (1.0, 0.0, 0.0), "complete", (0, 0, 0, 0, 1.0))
    response, _ = grow(**by_decider(twice))
    cited = {c["passage_id"]: response["answer"][slice(*c["answer_span"])] for c in response["citations"]}
    assert cited == {"d1": "Leave is 25 days.", "e2": "All may be kept"}
    [repeated] = [node for node in response["scores"]["nodes"] if node["id"] == "1.1"]
    assert repeated["reason"] == "repeated"


def test_two_bad_sentences_do_not_make_a_good_answer() -> None:
    """Scores were multiplied, so that two negative ones made a positive one."""
    verdict = RelevanceVerdict(passage_id="p", relevant=False, score=0.0, label="irrelevant")
    bad, useless = Segment(id="1", passage_id="p", answer="A.", relevance=verdict), UtilityVerdict(score=1)
    assert path_score(Path(segments=[bad], utility=useless), Weights()) == -0.5
    assert path_score(Path(segments=[bad, bad], utility=useless), Weights()) == -0.5
