"""The paper's own inference: calls and rounds of a question as the specification's table has them."""

import pytest

from selfrag.domain.policy import Policy
from tests.bench.api.billing import total_usd
from tests.bench.paper.rows import asked_anew
from tests.bench.paper.ways import CANDIDATES, SEGMENTS, Way
from tests.bench.running import Running
from tests.bench.stories import MANY, SPECULATE

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
