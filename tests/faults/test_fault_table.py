"""Each fault of the model in each step: the API answers, names the failed step, and counts only paid requests."""

import json
from collections.abc import Iterator

import pytest

from tests.support.doubles.model_server import Fault
from tests.support.model_faults import STEPS, STRATEGIES, TRANSIENT, Asking, asking, faults_of

# Requests with these faults have no reply with usage.
UNPAID: list[Fault] = [*(fault for fault in TRANSIENT if fault != "content null"), 400, 401, 404]


@pytest.fixture(scope="module")
def api() -> Iterator[Asking]:
    with asking() as stack:
        yield stack


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("step", STEPS)
def test_faults_keep_the_api_working_and_only_replies_are_paid(api: Asking, step: str, every: int) -> None:
    """Ask while a step has each third fault, and the next step the next ones; in the long tests each has all."""
    strategies = [name for name in STRATEGIES if step != "rewrite_question" or name not in ("candidates", "segments")]
    if step not in ("grade_relevance", "generate"):
        strategies.remove("corrective")
    # Each fault meets one strategy in a step, and others in the next.
    for number, (fault, once) in list(enumerate(faults_of(step)))[STEPS.index(step) % every :: every]:
        strategy = strategies[(number + STEPS.index(step)) % len(strategies)]
        result = api.ask(step, fault, strategy, once=once)
        what, usage = f"{result.fault} under {strategy}: {result.body}", result.body["usage"]
        assert result.failed, what
        assert result.code == 200, what
        assert result.status in ("answered", "partial", "abstained", "failed"), what
        assert "cost limit" not in json.dumps(result.body), what
        assert usage["model_calls"] == result.requests, what
        unpaid = result.failed if fault in UNPAID else result.refused
        assert sum(step["calls"] for step in usage["by_step"].values()) == result.requests - unpaid, what
        if fault in TRANSIENT and once and step != "rewrite_question":
            assert result.status == ("partial" if strategy == "corrective" else "answered"), what
