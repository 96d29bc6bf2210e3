"""Requests to a decision model, and validation of its replies."""

import json
import math
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typesafe_sdk import TypeSafeAPITimeoutError

from selfrag.adapters.decider import SystemOneDecider, decider_client
from selfrag.bootstrap.decider import decider as decider_part
from selfrag.domain.calls import Limits
from selfrag.domain.decisions import DecisionQuestion, is_distribution, median_level, most_probable_option
from selfrag.domain.errors import Misconfigured
from selfrag.runtime.circuit_breaker import PAUSE_SECONDS, CircuitBreaker
from selfrag.runtime.pace import Pace
from selfrag.runtime.parts import override
from tests.support.asking import MemoryCalls, Skipping
from tests.support.doubles.systemone import MODES, OLLAMA_BYTES, SystemOneServer, options_of

YES_NO = DecisionQuestion(type="yes_no", instructions="Is it so?", criteria={"yes": "It is.", "no": "It is not."})
CHOICE = DecisionQuestion(type="choice", instructions="Which?", criteria={"full": "all", "none": "nothing"})
LEVELS = DecisionQuestion(type="levels", instructions="How much?", criteria=["none", "some", "all"])
QUESTIONS = {"relevant": YES_NO, "support": CHOICE, "useful": LEVELS}
STATE = {"question": "How many days?", "passage": {"text": "Leave is 25 days."}}
WRONG = [mode for mode in MODES if mode not in ("429", "slow", "500", "too_large")]


def decider_at(
    server: SystemOneServer, window: int = 8192, *, price: float = 0.042, budget: float | None = None, key: str = "",
    time: Skipping | None = None, recent: MemoryCalls | None = None, seconds: float = 5.0,
) -> SystemOneDecider:  # fmt: skip
    clock = (time or Skipping()).clock
    make_pace = partial(Pace, clock, recent or MemoryCalls(), seconds, None, 10.0)
    client, breaker = partial(decider_client, server.url, key), CircuitBreaker("jev", clock.now)
    return SystemOneDecider(client, server.url, "jev-latest", window, price, make_pace, breaker, budget)


def test_each_question_kind_returns_probabilities_of_all_options() -> None:
    with SystemOneServer() as server:
        decisions = decider_at(server).ask("grade_relevance", STATE, QUESTIONS)
    assert decisions.answers is not None
    assert decisions.answers["relevant"] == {"yes": 0.96, "no": pytest.approx(0.04)}
    assert decisions.answers["support"] == {"full": 0.96, "none": pytest.approx(0.04)}
    assert set(decisions.answers["useful"]) == {"1", "2", "3"}
    assert (decisions.flaw, decisions.warnings) == (None, ())


def test_decider_call_has_step_tokens_and_price() -> None:
    with SystemOneServer() as server:
        decisions = decider_at(server, price=0.042).ask("grade_utility", STATE, QUESTIONS)
    call = decisions.call
    assert call is not None
    assert (call.step, call.model, call.decision) == ("grade_utility", "jev-latest", True)
    assert call.cost_usd == pytest.approx(call.input_tokens * 0.042 / 1e6)
    assert decisions.usage["attempts"] == 0


@pytest.mark.parametrize("mode", WRONG)
def test_invalid_reply_is_no_verdict_with_a_reason_and_no_retry(mode: str) -> None:
    with SystemOneServer(mode=mode) as server:
        decisions = decider_at(server).ask("grade_relevance", STATE, QUESTIONS)
    assert decisions.answers is None
    assert decisions.flaw == ("refused" if mode.startswith("refusal") else decisions.flaw)
    assert decisions.flaw in ("refused", "malformed", "unavailable")
    assert len(decisions.warnings) == 1
    assert "Is it so" not in decisions.warnings[0]
    assert len(server.bodies) == 1


@pytest.mark.parametrize("mode", ["429", "500"])
def test_busy_server_is_retried_only_while_faster_than_another_judge(mode: str) -> None:
    time, recent = Skipping(), MemoryCalls()
    with SystemOneServer(mode=mode, retry_after="2") as server:
        decisions = decider_at(server, time=time, recent=recent).ask("grade_relevance", STATE, QUESTIONS)
    assert (decisions.answers, decisions.flaw) == (None, "unavailable")
    assert 1 < len(server.bodies) <= (4 if mode == "429" else 2)
    assert sum(time.slept) < 10
    if mode == "429":
        assert min(time.slept) >= 2
        assert {seconds for _, seconds in recent.refusals} == {2.0}
        assert decisions.throttled


@pytest.mark.parametrize(
    ("mode", "requests", "asked_in_pause"),
    [("500", 2, 0), ("not_json", 2, 0), ("401", 2, 0), ("429", 8, 4), ("422", 2, 1), ("refusal", 2, 1)],
)
def test_after_two_failures_a_server_is_left_alone_for_a_minute(mode: str, requests: int, asked_in_pause: int) -> None:
    time = Skipping()
    with SystemOneServer(mode=mode, retry_after="0") as server:
        decider = decider_at(server, time=time)
        warnings = {decider.ask("grade_relevance", STATE, QUESTIONS).warnings for _ in range(2)}
        assert (len(server.bodies), len(warnings)) == (requests, 1)
        assert decider.ask("grade_relevance", STATE, QUESTIONS).warnings in warnings
        assert len(server.bodies) == requests + asked_in_pause
        server.mode = ""
        time.slept.append(PAUSE_SECONDS)
        assert decider.ask("grade_relevance", STATE, QUESTIONS).answers is not None


def test_failures_between_which_a_server_replies_do_not_add_up() -> None:
    with SystemOneServer() as server:
        decider = decider_at(server)
        for mode in ("not_json", "", "not_json", "", "not_json", ""):
            server.mode = mode
            assert (decider.ask("s", STATE, QUESTIONS).answers is None) == bool(mode)


@pytest.mark.parametrize(("deadline", "most"), [(10.0, 1.0), (25.0, 2.5), (180.0, 5.0), (None, 5.0), (1.0, 0.0)])
def test_a_decision_takes_at_most_a_tenth_of_the_time_left(
    deadline: float | None, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeouts = [0.0]

    def system_one(state: Any, questions: Any, *, model: str, timeout: float) -> Any:
        timeouts.append(timeout)
        raise TypeSafeAPITimeoutError(timeout)

    monkeypatch.setenv("SELFRAG_DECIDER_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("SELFRAG_DECIDER_MODEL", "jev")
    monkeypatch.setenv("SELFRAG_DECIDER_WINDOW_TOKENS", "8192")
    time: Any = SimpleNamespace(now=lambda: 1000.0, sleep=lambda seconds: None, share=lambda: 0.5)
    client = SimpleNamespace(system_one=system_one)
    with override({"decider_client": client, "clock": time, "recent_calls": MemoryCalls()}):
        decider = decider_part()(Limits(deadline_ms=None if deadline is None else (1000 + deadline) * 1e3))
        assert decider.ask("s", STATE, QUESTIONS).flaw == "unavailable"
    assert max(timeouts) == pytest.approx(most)


def test_a_retry_after_that_does_not_fit_is_not_waited_for() -> None:
    time = Skipping()
    with SystemOneServer(mode="429", retry_after="60") as server:
        decisions = decider_at(server, time=time).ask("grade_relevance", STATE, QUESTIONS)
    assert (decisions.answers, time.slept, len(server.bodies)) == (None, [], 1)


def test_a_slow_server_is_given_up_at_the_timeout_of_a_decision() -> None:
    with SystemOneServer(mode="slow") as server:
        decisions = decider_at(server, seconds=0.2).ask("grade_relevance", STATE, QUESTIONS)
    assert (decisions.answers, decisions.flaw, decisions.error) == (None, "unavailable", "TemporarilyUnavailable")


def test_a_server_that_is_not_there_is_named_by_its_host_alone() -> None:
    with SystemOneServer() as server:
        decider = decider_at(server)
    decisions = decider.ask("grade_relevance", STATE, QUESTIONS)
    assert decisions.flaw == "unavailable"
    assert server.url.removeprefix("http://") in decisions.warnings[0]


def test_a_state_that_may_not_fit_the_window_is_not_sent() -> None:
    with SystemOneServer() as server:
        least = next(
            n for n in range(200, 4000) if decider_at(server, n).ask("s", STATE, QUESTIONS).answers is not None
        )
        sent = len(server.bodies)
        # Two more letters are a token more.
        longer = {**STATE, "question": f"{STATE['question']}aaaa"}
        refused = decider_at(server, least).ask("s", longer, QUESTIONS)
        assert (refused.answers, refused.flaw, refused.call) == (None, "too_long", None)
        assert len(server.bodies) == sent
        assert decider_at(server, least + 4).ask("s", longer, QUESTIONS).answers is not None


@given(st.text(max_size=2000))
def test_token_bound_covers_count_of_any_common_tokenizer(text: str) -> None:
    # A tokenizer falls back to bytes for unknown text, so digits and marks count one per byte.
    from selfrag.text.budgets import most_tokens

    assert most_tokens(text) >= len(text.encode("utf-8", "replace")) / 2


def test_a_server_with_a_limit_of_bytes_is_no_verdict_above_it() -> None:
    with SystemOneServer(mode="too_large") as server:
        fits = {**STATE, "passage": "Leave is 25 days. " * 10}
        beyond = {**STATE, "passage": "a" * OLLAMA_BYTES}
        assert decider_at(server, 200_000).ask("s", fits, QUESTIONS).answers is not None
        decisions = decider_at(server, 200_000).ask("s", beyond, QUESTIONS)
    assert (decisions.answers, decisions.flaw) == (None, "unavailable")


@pytest.mark.parametrize("price", [0.0, 0.1])
def test_reply_without_token_counts_is_billed_at_the_maximum(price: float) -> None:
    with SystemOneServer(mode="zeros") as server:
        decisions = decider_at(server, price=price).ask("s", STATE, QUESTIONS)
    assert decisions.answers is not None
    assert decisions.call is not None
    assert decisions.call.cost_usd is not None
    assert (decisions.call.cost_usd > 0) is (price > 0)


def test_a_budget_that_buys_no_decision_sends_nothing() -> None:
    with SystemOneServer() as server:
        decisions = decider_at(server, budget=1e-9).ask("s", STATE, QUESTIONS)
    assert (decisions.answers, decisions.error, server.bodies) == (None, "BudgetExceeded", [])


def test_key_is_sent_if_set_and_wrong_key_gives_no_verdict() -> None:
    with SystemOneServer(key="good") as server:
        assert decider_at(server, key="good").ask("s", STATE, QUESTIONS).answers is not None
        wrong = decider_at(server, key="bad").ask("s", STATE, QUESTIONS)
        assert (wrong.answers, wrong.error) == (None, "Misconfigured")
        assert "bad" not in wrong.warnings[0]
    with SystemOneServer() as server:
        assert decider_at(server).ask("s", STATE, QUESTIONS).answers is not None
    with pytest.raises(Misconfigured):
        decider_client(server.url, "white space")


def test_request_contains_only_state_and_questions_and_no_local_file() -> None:
    forged = {"question": "file:///etc/passwd", "passage": "<image:/etc/passwd> data:image/png;base64,AAAA"}
    with SystemOneServer() as server:
        decider_at(server).ask("s", forged, QUESTIONS)
    [body] = server.requests
    assert body["state"] == forged
    assert set(body) == {"model", "state", "questions"}
    assert body["questions"]["useful"] == {
        "type": "score", "instructions": "How much?", "criteria": ["none", "some", "all"],
    }  # fmt: skip


def test_the_servers_own_words_are_in_no_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with SystemOneServer(mode="422") as server:
        decisions = decider_at(server).ask("s", STATE, QUESTIONS)
    said = " ".join([*decisions.warnings, decisions.cause, caplog.text])
    assert 'decision model"' not in said
    assert "Leave is 25 days" not in said


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_probabilities_must_cover_all_options_and_sum_to_one(values: list[float]) -> None:
    odds = dict(zip(("1", "2", "3"), values, strict=True))
    assert is_distribution(odds, LEVELS) is (abs(sum(values) - 1) <= 0.02)
    assert not is_distribution({"1": 1.0}, LEVELS)
    assert not is_distribution({**odds, "1": math.nan}, LEVELS)


def test_ties_take_the_worse_label_and_levels_are_medians() -> None:
    assert most_probable_option({"full": 0.5, "none": 0.5}, ("none", "full")) == "none"
    assert median_level({"1": 0.5, "2": 0.0, "3": 0.5}) == 1
    assert median_level({"1": 0.4, "2": 0.0, "3": 0.3, "4": 0.3}) == 3
    assert median_level({"1": 0.0, "2": 0.0, "3": 1.0}) == 3


@pytest.mark.parametrize(
    ("kind", "criteria"), [("yes_no", {"yes": "a"}), ("choice", ["a", "b"]), ("levels", {"a": "b"})]
)
def test_a_question_whose_criteria_do_not_fit_its_type_is_refused(kind: Any, criteria: Any) -> None:
    with pytest.raises(ValueError, match="criteria"):
        DecisionQuestion(type=kind, instructions="?", criteria=criteria)


def test_the_questions_of_every_grader_are_such_that_a_server_takes_them() -> None:
    from selfrag.judging.questions import load_questions

    for step in ("decide_retrieval", "grade_relevance", "grade_support", "grade_utility"):
        questions = load_questions(f"selfrag.question.{step}.handler")
        with SystemOneServer() as server:
            decisions = decider_at(server).ask(step, STATE, questions)
        assert decisions.answers is not None
        assert all(set(options_of(sent)) for sent in server.requests[0]["questions"].values())
        assert json.dumps(server.requests[0])
