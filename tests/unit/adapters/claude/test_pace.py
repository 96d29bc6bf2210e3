"""Throttled requests follow the model's Retry-After before the deadline, at most four requests."""

import time
from email.utils import formatdate
from typing import Any

import anthropic
import pytest

from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.calls import Limits
from selfrag.domain.errors import Misconfigured, RequestRejected
from selfrag.ports.model import Prompt
from selfrag.question.grade_relevance.logic import Relevance
from selfrag.runtime.deadline import STEP_SECONDS
from tests.support.asking import MemoryCalls, Skipping, claude_of
from tests.support.definition import STATES_THAT_ASK
from tests.support.doubles.model_server import Fault, ModelServer

HAIKU = "claude-haiku-5-5"


class Spoiled(ModelServer):
    """Answers every request with a fault of a list, the last one again and again; 429 and 529 with these headers."""

    def __init__(self, *faults: Fault, **headers: str) -> None:
        super().__init__(lambda step, n: faults[min(n, len(faults)) - 1])
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        self.headers = {429: told, 529: told, 503: told}
        # A call that ends by itself has all the time that it needs, however busy this machine is.
        self.patience = 0.2 if "timeout" in faults else 20.0


@pytest.fixture
def skipping() -> Skipping:
    return Skipping()


def asking(server: Spoiled, skipping: Skipping, recent: MemoryCalls | None = None, left: float = 25.0) -> SdkClaude:
    client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)
    limits = Limits(deadline_ms=1000 * (time.time() + left))
    return claude_of(client, seconds=server.patience, limits=limits, recent=recent, time=skipping)


def judge(server: Spoiled, skipping: Skipping, recent: MemoryCalls | None = None, left: float = 25.0) -> Any:
    claude = asking(server, skipping, recent, left)
    return claude.judge("grade_relevance", Prompt("the rubric", "v1"), {"question": "?"}, Relevance)


@pytest.mark.parametrize("status", [429, 529, 503])
@pytest.mark.parametrize(
    ("header", "value", "seconds"),
    [("retry_after", "7", 7.0), ("retry_after", "0.5", 0.5), ("retry_after_ms", "1500", 1.5)],
)
def test_retry_after_is_respected_exactly(
    status: int, header: str, value: str, seconds: float, skipping: Skipping
) -> None:
    with Spoiled(status, None, **{header: value}) as server:
        judgement = judge(server, skipping)
    assert skipping.slept == [seconds]
    assert (judgement.verdict.score, judgement.attempts, judgement.throttled) == (0.9, 2, status == 429)


def test_a_date_to_wait_for_is_understood(skipping: Skipping) -> None:
    with Spoiled(429, None, retry_after=formatdate(time.time() + 8, usegmt=True)) as server:
        assert judge(server, skipping).verdict.score == 0.9
    assert 6 < sum(skipping.slept) <= 8


@pytest.mark.parametrize("value", ["soon", "nan", ""])
def test_a_wait_that_cannot_be_read_is_a_short_one(value: str, skipping: Skipping) -> None:
    with Spoiled(429, None, retry_after=value) as server:
        assert judge(server, skipping).verdict.score == 0.9
    assert 0 < sum(skipping.slept) <= 0.5


@pytest.mark.parametrize("fault", [408, 409, 429, 500, 503, 529, "timeout"], ids=str)
def test_four_requests_are_sent_with_growing_backoff_without_retry_after(fault: Fault, skipping: Skipping) -> None:
    with Spoiled(fault) as server:
        judgement = judge(server, skipping)
        assert server.counts["grade_relevance"] == judgement.attempts == 4
    assert (judgement.flaw, judgement.call, judgement.error) == ("unavailable", None, "TemporarilyUnavailable")
    assert len(skipping.slept) == 3
    assert skipping.slept == sorted(skipping.slept)
    assert sum(skipping.slept) <= 3.5


@pytest.mark.parametrize(("share", "pauses"), [(0.0, [0.25, 0.5, 1.0]), (1.0, [0.5, 1.0, 2.0])])
def test_the_pauses_of_two_functions_differ_by_chance(share: float, pauses: list[float]) -> None:
    skipping = Skipping(share)
    with Spoiled(500) as server:
        judge(server, skipping)
    assert skipping.slept == pauses


def test_wait_beyond_the_deadline_raises_the_service_error(skipping: Skipping) -> None:
    with Spoiled(429, None, retry_after="25") as server:
        judgement = judge(server, skipping)
    assert (skipping.slept, judgement.attempts, judgement.error) == ([], 1, "TemporarilyUnavailable")


@pytest.mark.parametrize("headers", [{}, {"retry_after": "2"}])
def test_too_little_time_for_short_wait_reports_deadline_exceeded(headers: dict[str, str], skipping: Skipping) -> None:
    with Spoiled(429, None, **headers) as server:
        judgement = judge(server, skipping, left=1.2)
    assert (skipping.slept, judgement.attempts, judgement.error) == ([], 1, "DeadlineExceeded")


def test_step_never_waits_longer_than_its_function_timeout(skipping: Skipping) -> None:
    with Spoiled(429, None, retry_after=str(STEP_SECONDS)) as server:
        judgement = judge(server, skipping, left=300)
    assert (skipping.slept, judgement.error) == ([], "TemporarilyUnavailable")


def test_a_step_with_all_its_waits_ends_before_its_state_does() -> None:
    # The state's time begins when it asks for the function, which may have to start.
    assert len(STATES_THAT_ASK) == 6
    for state in STATES_THAT_ASK:
        assert "$min([28," in state.body["TimeoutSeconds"]
    assert STEP_SECONDS < 28


@pytest.mark.parametrize(("status", "error"), [(400, RequestRejected), (403, Misconfigured)])
def test_permanent_error_after_a_wait_is_raised(status: int, error: type[Exception], skipping: Skipping) -> None:
    with Spoiled(429, status, None) as server, pytest.raises(error):
        judge(server, skipping)
    assert server.counts["grade_relevance"] == 2


def test_all_requests_of_a_step_that_asks_twice_count_to_its_four(skipping: Skipping) -> None:
    with Spoiled(500, None, 500) as server:
        claude = asking(server, skipping)
        said = [claude.judge("grade_relevance", Prompt("r", "v1"), {"question": "?"}, Relevance) for _ in range(3)]
        assert server.counts["grade_relevance"] == 4
    assert [judgement.attempts for judgement in said] == [2, 2, 0]
    assert [judgement.error for judgement in said] == [None, "TemporarilyUnavailable", "TemporarilyUnavailable"]


def test_requested_wait_is_recorded_for_other_functions(skipping: Skipping) -> None:
    recent = MemoryCalls()
    with Spoiled(429, 529, None, retry_after="3") as server:
        judge(server, skipping, recent)
    assert recent.refusals == [(HAIKU, 3.0)]


def test_refusal_without_retry_after_delays_others_for_seconds(skipping: Skipping) -> None:
    recent = MemoryCalls()
    with Spoiled(429, None) as server:
        judge(server, skipping, recent)
    assert recent.refusals == [(HAIKU, 2.0)]


class Impatient(MemoryCalls):
    """Recent calls whose required wait shrinks with each query."""

    def __init__(self, *patience: float) -> None:
        super().__init__()
        self.left = list(patience)

    def record_call(self, step: str, model: str) -> Any:
        found = MemoryCalls(patience=self.left[0] if self.left else 0.0).known
        del self.left[:1]
        return found


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_shared_refusal_delays_other_callers_with_jitter(share: float) -> None:
    skipping = Skipping(share)
    # It is looked at once for the mark of the prompt, and then before the request is sent.
    with Spoiled(None) as server:
        judge(server, skipping, Impatient(4.0, 4.0, 2.0))
    assert skipping.slept == [4.0 + share, 2.0 + share]


def test_shared_refusal_beyond_the_deadline_is_ignored(skipping: Skipping) -> None:
    with Spoiled(None) as server:
        judgement = judge(server, skipping, MemoryCalls(patience=120.0))
    assert (skipping.slept, judgement.attempts, judgement.verdict.score) == ([], 1, 0.9)
