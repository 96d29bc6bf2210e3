"""The settlement of the daily cap at the end of a question."""

from typing import Any

import pytest

from selfrag import bootstrap
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.question.compose_answer.handler import handler

CALL = {"step": "generate", "model": "claude-haiku-5-5", "input_tokens": 1000, "output_tokens": 0}
GENERATED: dict[str, Any] = {
    "step": "Generate",
    "calls": [{**CALL, "started_at": 0.0, "ended_at": 1.0, "stop_reason": "end_turn"}],
}
UNPRICED = {**GENERATED, "calls": [{**GENERATED["calls"][0], "model": "a-model-without-a-price"}]}


class Spending:
    """The reservations that were settled, by question; or a table that is out of reach."""

    def __init__(self, *, broken: bool = False) -> None:
        self.settled: dict[str, float] = {}
        self._broken = broken

    def settle(self, question_id: str, usd: float) -> None:
        if self._broken:
            raise TemporarilyUnavailable("the table of requests cannot be reached")
        self.settled[question_id] = usd


def compose(spending: Any, *entries: dict[str, Any], **event: Any) -> dict[str, Any]:
    with bootstrap.using(spending=spending):
        return handler({"id": "q", "question": "How many?", "state": {"ledger": [*entries]}, **event}, None)


def test_a_question_settles_for_the_cost_that_its_response_states() -> None:
    spending = Spending()
    response = compose(spending, GENERATED)
    assert response["usage"]["cost_usd"] > 0
    assert spending.settled == {"q": response["usage"]["cost_usd"]}


@pytest.mark.parametrize(
    "entries",
    [
        [UNPRICED],
        [GENERATED, {"step": "GradeSupport", "error": "States.Timeout"}],
        [GENERATED, {"step": "GradeSupport", "error": "Lambda.Unknown"}],
    ],
)
def test_an_unknown_cost_leaves_the_whole_reservation(entries: list[dict[str, Any]]) -> None:
    spending = Spending()
    compose(spending, *entries)
    assert spending.settled == {}


def test_a_step_that_says_itself_why_it_failed_has_stated_its_cost() -> None:
    spending = Spending()
    compose(spending, GENERATED, {**GENERATED, "step": "GradeSupport", "error": "DeadlineExceeded"})
    assert spending.settled.keys() == {"q"}


def test_an_answer_does_not_fail_with_the_table_of_the_cap() -> None:
    assert compose(Spending(broken=True), GENERATED)["id"] == "q"


def test_a_loss_that_is_counted_settles_nothing() -> None:
    spending = Spending()
    compose(spending, GENERATED, unkept="States.Timeout")
    assert spending.settled == {}
