"""What the fine-tuned model is asked for: requests and sequences as the specification's table has them."""

from collections.abc import Iterator

import pytest

from tests.bench.api.clock import standing
from tests.bench.api.server import MessagesApi
from tests.bench.paper.endpoint import WAYS, asked_of, scenario_of
from tests.bench.paper.ways import Way
from tests.bench.running import Running, running
from tests.bench.stories import SPECULATE
from tests.support.doubles.vllm import VllmDouble, vllm

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def double() -> Iterator[VllmDouble]:
    with vllm(scenario_of(WAYS[0])) as started:
        yield started


@pytest.fixture(scope="module")
def beside(double: VllmDouble) -> Iterator[Running]:
    """The stack with the double of the endpoint."""
    clock = standing()
    with running(MessagesApi(clock=clock), sleep=clock.move, generator=double.url) as at:
        yield at


@pytest.mark.parametrize("speculate", SPECULATE)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_fine_tuned_model_takes_a_request_for_the_decision_and_one_for_each_level(
    beside: Running, double: VllmDouble, way: Way, speculate: str
) -> None:
    asked = asked_of(beside, double, way, speculate)
    usage = asked.response["usage"]
    assert (double.requests, double.sequences) == (way.calls, way.sequences)
    assert (usage["model_calls"], usage["sequences"]) == (double.requests, double.sequences)
    assert usage["rounds"] == way.rounds(speculate)
    assert usage["cost_usd"] is None
    assert asked.requests == []
