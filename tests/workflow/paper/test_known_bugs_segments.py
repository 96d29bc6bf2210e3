"""What the published code of the paper's tree does wrong (PAPER.md 5), by what a user would see."""

from typing import Any

import pytest

from selfrag.domain.questions import Weights
from selfrag.domain.scores import terms
from selfrag.domain.scores.critiqued import Segment, Terms
from selfrag.domain.scores.paths import Path, path_score
from selfrag.domain.scores.tokens import CONTROL, RELEVANCE, SUPPORT, UTILITY
from tests.support.paper.segments import EXAMPLE, WEAK, endpoint, segment
from tests.workflow.asking import ASKED, POLICY, run

ENDPOINT = {**POLICY, "strategy": "segments", "generator": "selfrag", "threshold": 0.2, "deadline_seconds": 100_000}


def asked(script: dict[str, list[Any]], **policy: Any) -> tuple[dict[str, Any], Any]:
    return run({**ASKED, "policy": {**ENDPOINT, **policy}}, **script)


def scores(response: dict[str, Any]) -> dict[str, float]:
    return {node["id"]: node["score"] for node in response["scores"]["nodes"]}


def test_a_more_useful_answer_scores_higher() -> None:
    """7: it looped over IsSup's three tokens for IsUse's five, and the use was always 0."""
    uses = [terms.utility_score({token: 1.0}) for token in UTILITY]
    assert uses == [-1.0, -0.5, 0.0, 0.5, 1.0]
    useless = {**EXAMPLE, "2": (*EXAMPLE["2"][:6], (1.0, 0.0, 0.0, 0.0, 0.0))}
    better, _ = asked(endpoint(EXAMPLE))
    worse, _ = asked(endpoint(useless))
    assert scores(better)["2"] == pytest.approx(2.55)
    assert scores(worse)["2"] == pytest.approx(1.85)


def test_weights_that_a_request_gives_decide_which_answer_wins() -> None:
    """8: those of the command line never arrived."""
    by_use = {**EXAMPLE, "1.1": WEAK}
    assert asked(endpoint(by_use))[0]["answer"] == "All have leave."
    by_relevance = {"rel": 0.0, "sup": 0.0, "use": 0.0}
    response, _ = asked(endpoint(by_use), weights=by_relevance)
    assert scores(response) == pytest.approx({"1": 0.80, "2": 0.75, "3": 0.70, "1.1": 0.65, "1.2": 0.70})


def test_a_passage_of_which_one_verdict_is_not_listed_is_scored_by_the_other() -> None:
    """9: a raw -100 stood in the denominator, and made s(Rel) negative."""
    assert terms.relevance_score({RELEVANCE[1]: 0.9}) == 1.0
    assert terms.relevance_score({RELEVANCE[0]: 0.9}) == 0.0
    assert terms.relevance_score({SUPPORT[2]: 0.9}) is None


def test_a_sentence_follows_its_own_path_and_never_the_one_beside_it() -> None:
    """10: from the second sentence on, the prompt held the sibling's text in place of the parent's."""
    both = {**EXAMPLE, "2": (*EXAMPLE["2"][:5], "yes", ())}
    both |= {f"2.{n}": (f"e{n}", f"Sentence {n}.", 0.5, (0.9, 0.1), (0.9, 0.1, 0.0), "complete", ()) for n in (1, 2)}
    _, scripted = asked(endpoint(both))
    second = scripted.events_of("generate")[1]["branches"]
    assert [branch["id"] for branch in second] == ["1.1", "1.2", "2.1", "2.2"]
    parents = {"1": "Leave is 25 days.", "2": "All have leave."}
    for branch in second:
        own, other = parents[branch["parent"]], parents["2" if branch["parent"] == "1" else "1"]
        assert branch["bare"] == own
        assert own in branch["raw"]
        assert other not in branch["raw"]


def test_a_finished_answer_is_not_lost_to_a_deeper_worse_one() -> None:
    """11: a finished path of 1.975 was dropped, and its neighbour's 0.26 child was returned."""
    response, _ = asked(endpoint({**EXAMPLE, "1.1": WEAK}))
    assert (response["status"], response["answer"]) == ("answered", "All have leave.")


def test_a_wish_to_search_is_never_larger_than_one_and_counts_no_wish_to_continue() -> None:
    """12: (p(yes) + p(continue)) / (p(yes) + p(no)) could exceed 1."""
    assert terms.retrieval_ratio({"[Retrieval]": 0.6, "[No Retrieval]": 0.1, "[Continue to Use Evidence]": 0.3}) == (
        pytest.approx(0.6 / 0.7)
    )


@pytest.mark.parametrize("token", CONTROL)
def test_no_token_of_the_model_stands_in_the_answer(token: str) -> None:
    """12 and section 4: a token was added to every text, and one leaked into answers."""
    leaky = {**EXAMPLE, "1": ("d1", f"Leave is 25 days.{token}", *EXAMPLE["1"][2:])}
    response, _ = asked(endpoint(leaky))
    assert response["answer"] == "Leave is 25 days. Ten days may be kept."


def test_each_citation_is_of_the_passage_that_its_sentence_was_written_from() -> None:
    """14: a duplicate that was left out shifted later numbers, and each sentence lost its last character."""
    twice = {**EXAMPLE, "1.1": ("e1", "Leave is 25 days.", *EXAMPLE["1.1"][2:])}
    twice["1.2"] = ("e2", "All may be kept", 0.6, (0.9, 0.1), (1.0, 0.0, 0.0), "complete", (0, 0, 0, 0, 1.0))
    response, _ = asked(endpoint(twice))
    told = {c["passage_id"]: response["answer"][slice(*c["answer_span"])] for c in response["citations"]}
    assert told == {"d1": "Leave is 25 days.", "e2": "All may be kept"}
    [repeated] = [node for node in response["scores"]["nodes"] if node["id"] == "1.1"]
    assert repeated["reason"] == "repeated"


def test_a_sentence_without_a_passage_takes_no_better_ones_place() -> None:
    """15: ungrounded paths scored 1 unranked, made the beam smaller, and the first path was always returned."""
    bare = {**EXAMPLE, "1": (*EXAMPLE["1"][:5], "no", ())}
    script = endpoint(bare)
    grounded: Any = script["generate"][0]

    def written(event: dict[str, Any]) -> dict[str, Any]:
        if event["branches"][0]["passage_id"]:
            return dict(grounded(event))
        [branch] = event["branches"]
        row = EXAMPLE["1.1"]
        told = segment({**branch, "passage_id": row[0]}, row)
        alone = {**told, "passage_id": None, "relevance": None, "citations": [], "support": {"level": "ungraded"}}
        return {**grounded({**event, "branches": []}), "written": [alone], "sequences": 1}

    response, scripted = asked({**script, "generate": [written]})
    assert scripted.events_of("rank_paths")[1]["size"] == 2
    # The mean is of the grounded sentence alone: 2.65, and the use of the whole.
    assert path_score(
        Path.model_validate(scripted.events_of("pick_candidate")[0]["beam"][0]), Weights()
    ) == pytest.approx(3.1)
    assert response["status"] == "partial"
    assert response["answer"].endswith("[uncited]")


def test_two_bad_sentences_do_not_make_a_good_answer() -> None:
    """Section 4: scores were multiplied, so that two negative ones made a positive one."""
    bad = Segment(id="1", passage_id="p", answer="A.", terms=Terms(rel=0.0))
    assert path_score(Path(segments=[bad], use=-1.0), Weights()) == -0.5
    assert path_score(Path(segments=[bad, bad], use=-1.0), Weights()) == -0.5
