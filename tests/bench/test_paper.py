"""The paper's own inference: calls and rounds of a question as the specification's table has them."""

import pytest

from selfrag.domain.policy import Policy
from tests.bench.api.billing import total_usd
from tests.bench.paper.rows import asked_anew
from tests.bench.paper.ways import CANDIDATES, SEGMENTS, Way
from tests.bench.running import Running
from tests.bench.stories import HALF, MANY, SHORT, SPECULATE

pytestmark = pytest.mark.long

AHEAD = pytest.mark.parametrize("speculate", SPECULATE)
CLAUDE = pytest.mark.parametrize("way", [*CANDIDATES, *SEGMENTS], ids=str)


@AHEAD
@CLAUDE
def test_a_question_takes_the_calls_and_rounds_of_the_specification_and_less_than_its_limit(
    at: Running, way: Way, speculate: str
) -> None:
    asked = asked_anew(at, MANY, way, speculate)
    usage = asked.response["usage"]
    assert (usage["model_calls"], usage["rounds"]) == (way.calls + way.waste(speculate), way.rounds(speculate))
    assert len(asked.requests) == usage["model_calls"]
    assert usage["waste"]["model_calls"] == way.waste(speculate)
    assert usage["cost_usd"] == pytest.approx(total_usd(asked.requests), abs=5e-6)
    assert 0 < usage["cost_usd"] < (Policy(strategy=way.strategy).max_cost_usd or 0)


@AHEAD
def test_of_candidates_irrelevant_passages_cost_one_call_and_what_was_written_ahead_is_waste(
    at: Running, speculate: str
) -> None:
    way = CANDIDATES[-1]
    usage = asked_anew(at, HALF, way, speculate).response["usage"]
    relevant = sum("relevant" in mark for mark in HALF.first[: way.top_k])
    assert usage["model_calls"] - usage["waste"]["model_calls"] == 1 + way.top_k + 3 * relevant
    assert usage["waste"]["model_calls"] == (0 if speculate == "off" else way.top_k - relevant)


@AHEAD
def test_an_answer_that_is_complete_in_two_sentences_is_not_made_longer(at: Running, speculate: str) -> None:
    response = asked_anew(at, SHORT, SEGMENTS[-1], speculate).response
    assert response["status"] == "answered"
    assert response["answer"].count(" units.") == SHORT.sentences
    assert response["usage"]["model_calls"] < SEGMENTS[-1].calls


@AHEAD
@CLAUDE
def test_half_the_price_of_a_question_ends_it_below_that(at: Running, way: Way, speculate: str) -> None:
    price = total_usd(asked_anew(at, MANY, way, speculate).requests)
    asked = asked_anew(at, MANY, way, speculate, max_cost_usd=price / 2)
    assert asked.response["status"] in ("partial", "abstained")
    assert total_usd(asked.requests) <= price / 2
