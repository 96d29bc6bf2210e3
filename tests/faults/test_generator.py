"""What the server of the fine-tuned model does wrong: no fault is a verdict, and no passage spoils another's."""

import json
import re
from dataclasses import replace

import pytest
from werkzeug.wrappers import Response

from selfrag.domain.errors import Misconfigured, RequestRejected
from selfrag.domain.questions import Weights
from selfrag.domain.scores.ranking import ranked
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, Fault, Node, Said
from tests.support.doubles.vllm.server import BROKEN, CUT, SILENCE, SPOILED
from tests.support.loopback import Loopback
from tests.support.paper.generating import candidates, decided, running

EXAMPLE, QUESTION = CANDIDATES_EXAMPLE, CANDIDATES_EXAMPLE.question
GOOD = {"d1": (5, "partially_supported"), "d2": (4, "fully_supported"), "d3": (5, "fully_supported")}


@pytest.mark.parametrize("spoiled", sorted(SPOILED))
def test_what_is_wrong_with_one_answer_is_no_verdict_and_leaves_the_others_as_they_are(spoiled) -> None:
    with running(EXAMPLE, spoiled=spoiled) as double:
        found, result = candidates(EXAMPLE)
    assert result["error"] is None
    for one in (found[0], found[2]):
        assert (one.utility.score, one.support.level) == GOOD[one.passage_id]
    bad = found[1]
    assert bad.support.level == "ungraded"
    if spoiled in ("unlisted_support", "cut"):
        # IsSup alone is missing: that counts for nothing.
        assert (bad.relevance.label, bad.terms.sup, bad.cut) == ("relevant", 0.0, spoiled == "cut")
        assert bad.terms.use == (-1.0 if spoiled == "cut" else pytest.approx(0.425))
    else:
        assert (bad.relevance.label, bad.terms, bad.answer, bad.citations) == ("ungraded", None, "", [])
        assert bad.error
        assert any(bad.error in warning for warning in result["warnings"])
    assert ranked(found, Weights(), "soft")[-1].index == 1
    assert (double.requests, double.sequences) == (result["attempts"], result["sequences"]) == (1, 3)


def test_answers_in_another_order_belong_to_their_passages_and_one_that_does_not_come_is_ungraded_alone() -> None:
    with running(EXAMPLE, order="backwards"):
        turned, _ = candidates(EXAMPLE)
    assert {one.passage_id: (one.utility.score, one.support.level) for one in turned} == GOOD
    with running(EXAMPLE, order="short") as double:
        found, result = candidates(EXAMPLE)
    assert [one.relevance.label for one in found] == ["relevant", "relevant", "ungraded"]
    assert (found[2].terms, result["sequences"], double.sequences) == (None, 3, 3)


@pytest.mark.parametrize("fault", [Fault(429), Fault(503), Fault(500), Fault(530), BROKEN, CUT], ids=str)
def test_what_another_request_may_mend_is_sent_again(fault) -> None:
    with running(EXAMPLE, faults=[fault, fault]) as double:
        found, result = candidates(EXAMPLE)
    assert {one.passage_id: (one.utility.score, one.support.level) for one in found} == GOOD
    assert (double.requests, result["attempts"], result["error"]) == (3, 3, None)
    assert result["throttled"] is (fault.status == 429)


def test_a_request_is_refused_once_and_not_sent_again() -> None:
    fault = Fault(400)
    with running(EXAMPLE, faults=[fault]) as double, pytest.raises(RequestRejected):
        candidates(EXAMPLE)
    assert double.requests == 1


def test_a_server_that_allows_too_few_log_probabilities_is_the_operators_to_mend() -> None:
    says = "Requested sample logprobs of 20, which is greater than max allowed: 5"
    fault = Fault(400, says)
    with (
        running(EXAMPLE, faults=[fault]),
        pytest.raises(Misconfigured, match="--max-logprobs"),
    ):
        candidates(EXAMPLE)


def test_what_a_server_says_is_not_repeated_for_it_may_hold_the_question() -> None:
    says = f"cannot read: {QUESTION}"
    fault = Fault(400, says)
    with running(EXAMPLE, faults=[fault]), pytest.raises(RequestRejected) as refused:
        candidates(EXAMPLE)
    assert QUESTION not in str(refused.value)


@pytest.mark.parametrize("fault", [Fault(503), BROKEN], ids=str)
def test_a_server_that_never_gets_better_is_told_as_an_error_and_grades_nothing(fault) -> None:
    with running(EXAMPLE, faults=[fault] * 4) as double:
        found, result = candidates(EXAMPLE)
    assert (result["error"], result["attempts"], double.requests) == ("TemporarilyUnavailable", 4, 4)
    assert (result["sequences"], result["calls"]) == (0, [])
    assert {(one.relevance.label, one.terms) for one in found} == {("ungraded", None)}


def test_a_server_that_says_nothing_is_left_when_the_time_is_over() -> None:
    settings = {"SELFRAG_GENERATOR_TIMEOUT_SECONDS": "0.3"}
    with running(EXAMPLE, faults=[SILENCE] * 4, settings=settings) as double:
        verdict = decided(QUESTION)
    assert (verdict["error"], verdict["verdict"]["decision"]) == ("TemporarilyUnavailable", "ungraded")
    assert (verdict["attempts"], double.requests) == (4, 4)


def test_a_server_that_tells_no_token_ids_is_too_old_and_says_so() -> None:
    told = {"tokens": ["[Relevant]"], "token_logprobs": [-0.1], "top_logprobs": [{"[Relevant]": -0.1}]}
    choice = {"index": 0, "text": "[Relevant]", "logprobs": told, "finish_reason": "length"}
    old = json.dumps({"choices": [choice], "usage": {}})
    with (
        Loopback(lambda request: Response(old, content_type="application/json")) as server,
        running(EXAMPLE, settings={"SELFRAG_GENERATOR_URL": server.url}),
        pytest.raises(Misconfigured, match="tells no token ids"),
    ):
        decided(QUESTION)


def test_on_an_older_server_what_is_missing_of_a_group_counts_nothing_and_is_told() -> None:
    said = Said("It is so.", (0.999, 1e-7), (0.97, 0.02, 1e-7), (0.1, 0.1, 0.1, 0.1, 0.6), q=0.9)
    scenario = replace(EXAMPLE, passages={"d1": "Some text."}, nodes=(Node("d1", "d1", said),))
    with running(scenario, ignores_ids=True):
        (old,), result = candidates(scenario)
    with running(scenario):
        (new,), whole = candidates(scenario)
    assert (old.terms.truncated, new.terms.truncated) == (True, False)
    assert (old.terms.rel, old.relevance.label) == (1.0, "relevant")
    assert new.terms.rel < 1.0
    assert (old.terms.sup, new.terms.sup) == (pytest.approx(0.98 / 0.99), pytest.approx(0.98 / 0.99))
    assert any(re.search("1 verdicts? rests? on a part", warning) for warning in result["warnings"])
    assert whole["warnings"] == []
