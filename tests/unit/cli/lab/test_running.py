"""A run asks each question once by each variant, whatever ends it, and never spends more than it may."""

import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import RetryLater
from selfrag_cli.lab.runs.costs import RunBudget
from selfrag_cli.lab.runs.results import Results, opened_results
from selfrag_cli.lab.runs.running import MOST_IN_A_ROW, PAUSES, QuestionTask, Run, tasks_left
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response

TWO = read_variants(['plain={"top_k": 2}', "default={}"])
QUESTIONS = [gold(f"{number}?") for number in range(10)]


class Asked:
    """Answers, and counts what it was asked; `instead` may raise, or give another response."""

    def __init__(self, instead: Callable[[AskRequest], dict[str, Any] | None] = lambda request: None) -> None:
        self.requests: list[AskRequest] = []
        self.keys: list[str] = []
        self._instead, self._lock = instead, threading.Lock()

    def __call__(self, request: AskRequest, key: str) -> AnswerResponse:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
        return AnswerResponse.model_validate(self._instead(request) or response())

    @property
    def times(self) -> Counter[tuple[str, int]]:
        return Counter((request.question, request.policy.top_k) for request in self.requests)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Any]:
    """Yield the results of a file, opened once more each time."""

    @contextmanager
    def again(asked: str = "here") -> Iterator[Results]:
        with opened_results(tmp_path / "results.jsonl", asked, TWO) as results:
            yield results

    return again


def run(results: Results, ask: Asked, parallel: int = 3, budget: RunBudget | None = None, **more: Any) -> int:
    tasks = tasks_left(QUESTIONS, TWO, results)
    return Run(tasks, ask, results, parallel, budget, pause=lambda seconds: None, **more).run()


def test_every_question_is_asked_once_by_each_variant_with_its_policy(opened: Any) -> None:
    ask = Asked()
    with opened() as results:
        assert run(results, ask) == 0
    assert ask.times == {(question.question, top_k): 1 for question in QUESTIONS for top_k in (2, 4)}
    assert all(request.policy.cache is False for request in ask.requests)
    assert len(set(ask.keys)) == 20


def test_no_variant_always_comes_first_and_the_order_is_the_same_each_time(opened: Any) -> None:
    with opened() as results:
        asked, again = (tasks_left(QUESTIONS, TWO, results) for _ in range(2))
    assert asked == again
    assert [task.question for task in asked] == [question for question in QUESTIONS for _ in TWO]
    assert 0 < sum(task.variant.name == "plain" for task in asked[::2]) < len(QUESTIONS)


PAIRS = [one for n in range(4) for one in (gold(f"{n}?"), gold(f"{n} and?", after=f"{n}?"))]


def asked_in_pairs(results: Results, ask: Asked) -> int:
    return Run(tasks_left(PAIRS, TWO, results), ask, results, 3, pause=lambda seconds: None).run()


def own_id(request: AskRequest) -> dict[str, Any]:
    return {**response(), "id": f"{request.question[0]}-{request.policy.top_k}"}


def test_a_follow_up_is_asked_after_the_question_that_it_follows_with_the_answer_of_the_same_variant(
    opened: Any,
) -> None:
    ask = Asked(own_id)
    with opened() as results:
        assert asked_in_pairs(results, ask) == 0
    assert len(ask.requests) == 16
    for request in ask.requests:
        first = "and" not in request.question
        assert request.previous == ("" if first else f"{request.question[0]}-{request.policy.top_k}")


def test_a_follow_up_of_a_question_without_an_answer_waits_for_the_run_that_gets_one(opened: Any) -> None:
    first = Asked(lambda request: response(status="failed") if request.question == "1?" else own_id(request))
    with opened() as results:
        assert asked_in_pairs(results, first) == 4
    assert "1 and?" not in {request.question for request in first.requests}
    again = Asked(own_id)
    with opened() as results:
        assert asked_in_pairs(results, again) == 0
    assert again.times == {(question, top_k): 1 for question in ("1?", "1 and?") for top_k in (2, 4)}
    assert {request.previous for request in again.requests} == {"", "1-2", "1-4"}


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_run_that_was_killed_goes_on_where_it_was_and_asks_nothing_twice(
    opened: Any, tmp_path: Path, cut: int
) -> None:
    killed = Asked(lambda request: _interrupt() if request.question == "4?" else None)
    with pytest.raises(KeyboardInterrupt), opened() as results:
        run(results, killed, parallel=1)
    path = tmp_path / "results.jsonl"
    os.truncate(path, path.stat().st_size - cut)  # as a kill may leave it that comes while a line is written
    ask = Asked()
    with opened() as results:
        assert run(results, ask) == 0
    lost = 1 if cut else 0
    answered = killed.times - Counter({("4?", killed.requests[-1].policy.top_k): 1})
    assert sum((answered + ask.times).values()) == 20 + lost
    with opened() as results:
        assert tasks_left(QUESTIONS, TWO, results) == []


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_what_is_at_work_when_a_run_is_interrupted_is_kept(opened: Any) -> None:
    begun, end = threading.Event(), threading.Event()

    def slowly(request: AskRequest) -> None:
        begun.set()
        assert end.wait(10)

    def interrupted(done: int, total: int, usd: float) -> None:
        assert begun.wait(10)
        running.end()
        end.set()

    ask = Asked(lambda request: slowly(request) if request.question == "1?" else None)
    with opened() as results:
        running = Run(tasks_left(QUESTIONS, TWO, results), ask, results, 3, progress=interrupted)
        assert running.run() == 20 - len(ask.requests) > 0
    rest = Asked()
    with opened() as results:
        run(results, rest)
    assert set((ask.times + rest.times).values()) == {1}


def test_a_question_that_failed_is_asked_again_with_another_key_and_its_last_answer_counts(opened: Any) -> None:
    first = Asked(lambda request: response(status="failed") if request.question == "3?" else None)
    again = Asked()
    with opened() as results:
        assert run(results, first, parallel=1) == 2
    with opened() as results:
        assert run(results, again) == 0
        assert results.find("plain", "3?").response.status == "answered"
        assert results.spent == pytest.approx(0.22)
    assert again.times == {("3?", 2): 1, ("3?", 4): 1}
    assert not set(first.keys) & set(again.keys)


def test_a_service_that_is_busy_is_asked_again_with_the_same_key(opened: Any) -> None:
    busy = Counter({"2?": 2})

    def sometimes(request: AskRequest) -> None:
        if request.policy.top_k == 2 and busy[request.question]:
            busy[request.question] -= 1
            raise TemporarilyUnavailable("busy")

    ask = Asked(sometimes)
    with opened() as results:
        assert run(results, ask) == 0
    assert ask.times["2?", 2] == 3
    assert len(set(ask.keys)) == 20


@pytest.mark.parametrize("error", [Misconfigured("the key is wrong"), InvalidInput("no such collection")])
def test_a_refusal_ends_the_run_with_its_sentence(opened: Any, error: SelfragError) -> None:
    def refusing(request: AskRequest) -> None:
        raise error

    ask = Asked(refusing)
    with opened() as results, pytest.raises(type(error), match=str(error)):
        run(results, ask, parallel=1)
    assert len(ask.requests) == 1


def test_a_run_gives_up_when_nothing_is_answered_any_more(opened: Any) -> None:
    def away(request: AskRequest) -> None:
        raise TemporarilyUnavailable("it is away")

    ask = Asked(away)
    with opened() as results, pytest.raises(TemporarilyUnavailable, match=r"in a row got no answer.*it is away"):
        run(results, ask, parallel=1)
    assert len(ask.requests) == MOST_IN_A_ROW * (len(PAUSES) + 1)
    failing = Asked(lambda request: response("No model.", status="failed"))
    with opened() as results, pytest.raises(TemporarilyUnavailable, match=r"No model\."):
        run(results, failing, parallel=1)
    assert len(failing.requests) == MOST_IN_A_ROW


def test_a_run_stops_before_it_has_spent_more_than_it_may_and_a_higher_limit_goes_on(opened: Any) -> None:
    ask, rest = Asked(), Asked()
    with opened() as results:
        left = run(results, ask, budget=RunBudget(most=0.1, spent=results.spent, least=0.03))
        assert 0 < left == 20 - len(ask.requests)
        assert results.spent <= 0.1
    with opened() as results:
        assert run(results, rest, budget=RunBudget(most=5, spent=results.spent, least=0.03)) == 0
    assert set((ask.times + rest.times).values()) == {1}


@given(
    most=st.floats(0.01, 5), least=st.floats(0, 0.5), shares=st.lists(st.floats(0, 1) | st.none(), min_size=1),
    slots=st.integers(1, 6), own=st.none() | st.floats(0.001, 1),
)  # fmt: skip
def test_whatever_questions_cost_within_their_limits_all_together_stay_within_the_sum(
    most: float, least: float, shares: list[float | None], slots: int, own: float | None
) -> None:
    budget, at_work, paid = RunBudget(most, 0.0, least), [], 0.0
    for share in shares:
        limit = budget.hold(slots, own)
        if limit is not None:
            assert 0 < limit <= (own or 100)
            at_work.append((limit, share))
        if len(at_work) == slots or (limit is None and at_work):
            allowed, part = at_work.pop(0)
            paid += allowed * (1 if part is None else part)
            budget.settle(allowed, None if part is None else allowed * part)
    assert paid + sum(limit for limit, _ in at_work) <= most * (1 + 1e-9)


def test_the_policies_own_limit_holds_within_that_of_the_run(opened: Any, tmp_path: Path) -> None:
    variants = read_variants(['cheap={"max_cost_usd": 0.05}'])
    ask = Asked()
    with opened_results(tmp_path / "cheap.jsonl", "here", variants) as results:
        tasks = [QuestionTask(question, variants[0]) for question in QUESTIONS]
        Run(tasks, ask, results, 2, RunBudget(most=10, spent=0, least=0.01)).run()
    assert {request.policy.max_cost_usd for request in ask.requests} == {0.05}


def test_results_of_other_documents_or_under_another_policy_are_not_gone_on_with(opened: Any, tmp_path: Path) -> None:
    with opened() as results:
        run(results, Asked())
    with pytest.raises(InvalidInput, match="holds answers from here, not from there"), opened("there"):
        pass
    other = read_variants(['plain={"top_k": 3}'])
    with (
        pytest.raises(InvalidInput, match=r'answers of plain with the policy \{"top_k": 2, "cache": false\}'),
        opened_results(tmp_path / "results.jsonl", "here", other),
    ):
        pass


@pytest.mark.parametrize(
    ("content", "line"), [(b'{"question": "a?"}\n{"question', 1), (b"a letter to a friend", 1), (b"a\nb\n", 1)]
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(
    opened: Any, tmp_path: Path, content: bytes, line: int
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=f"line {line}: it is no result"), opened():
        pass
    assert path.read_bytes() == content


def test_two_commands_do_not_write_to_the_same_file(opened: Any) -> None:
    with opened(), pytest.raises(InvalidInput, match="Another command writes to"), opened():
        pass


def test_a_line_that_is_no_result_is_named(opened: Any, tmp_path: Path) -> None:
    with opened() as results:
        run(results, Asked())
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines()
    lines[4] = json.dumps({"variant": "plain"})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidInput, match="line 5: it is no result"), opened():
        pass


def test_a_deployment_whose_daily_limit_is_reached_is_not_waited_for(opened: Any) -> None:
    pauses: list[float] = []

    def spent(request: AskRequest) -> None:
        raise RetryLater("The daily limit is reached.", 9000.0)

    with opened() as results:
        Run(tasks_left(QUESTIONS[:1], TWO, results), Asked(spent), results, 1, pause=pauses.append).run()
    assert pauses == []


def test_a_deployment_that_names_a_longer_pause_is_left_alone_for_as_long(opened: Any) -> None:
    pauses: list[float] = []

    def busy(request: AskRequest) -> None:
        if not pauses:
            raise RetryLater("busy", 60.0)

    with opened() as results:
        tasks = tasks_left(QUESTIONS[:1], TWO, results)
        assert Run(tasks, Asked(busy), results, 1, pause=pauses.append).run() == 0
    assert pauses == [60.0]
