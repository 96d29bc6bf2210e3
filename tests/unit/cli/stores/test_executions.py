"""Executions of questions on the laptop: started, watched, looked at, and remembered by the next process."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.feedback import Feedback
from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.runner.tasks import services
from selfrag_cli.local.stack import MACHINE_ARN
from selfrag_cli.local.stores.executions import MAX_QUESTIONS, LocalExecutions
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.histories import KEPT_EXECUTIONS, ExecutionHistory, keep_history, last_history
from selfrag_cli.local.stores.tables import FEEDBACK, Items

SOON = 20.0
ANSWER = {
    "id": {"S": "{% $states.context.Execution.Name %}"},
    "collections": {"L": [{"S": "c"}]},
    "expires_at": {"N": "99999999999"},
    "question": {"S": "{% $states.input.question %}"},
    "response": {"S": "{% $string($states.input) %}"},
}
PUT = {"TableName": "selfrag-answers", "Item": ANSWER}
STATES = {
    "Ask": {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "ask", "Payload": "{% $states.input %}"},
        "Output": "{% $states.input %}",
        "Next": "Remember",
    },
    "Remember": {
        "Type": "Task",
        "Resource": "arn:aws:states:::dynamodb:putItem",
        "Arguments": PUT,
        "Output": "{% $states.input %}",
        "End": True,
    },
}


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Items]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with closing(Items()) as opened:
        yield opened


def executions(items: Items, ask: Any = lambda event: {}, **options: Any) -> LocalExecutions:
    handlers = {"ask": lambda event, context: ask(event)}
    definition = {"StartAt": "Ask", "States": STATES}
    return LocalExecutions(Machine(MACHINE_ARN, definition, services(handlers, items)), items, **options)


PAYLOAD = {"question": "Why?", "collections": ["c"], "request": ""}


def test_running_question_is_watched_then_found_with_response_and_history(items: Items) -> None:
    held = threading.Event()
    running = executions(items, lambda event: held.wait(SOON))
    running.expect("q", PAYLOAD, time.time() + 60)
    running.start("q", {"question": "Why?"})
    seen = 0
    while running.history("q")[-1]["type"] != "TaskStarted":
        seen = running.watch("q", seen, SOON) or seen
    snapshot, known = running.snapshot("q"), running.read_stored("q")
    assert snapshot is not None
    assert known is not None
    assert (snapshot.status, known.response, known.question, known.due > 0) == ("RUNNING", None, "Why?", True)
    held.set()
    while (more := running.watch("q", seen, SOON)) is not None:
        seen = more
    after = executions(items)
    snapshot, known = after.snapshot("q"), after.read_stored("q")
    assert snapshot is not None
    assert known is not None
    assert (snapshot.status, snapshot.output) == ("SUCCEEDED", {"question": "Why?"})
    assert (known.response, known.question, known.collections) == ({"question": "Why?"}, "Why?", ("c",))
    assert after.history("q")[-1]["type"] == "ExecutionSucceeded"
    assert after.watch("q", 0, SOON) is None


def test_a_question_that_was_never_asked_has_no_trace(items: Items) -> None:
    running = executions(items)
    assert running.read_stored("other") is None
    assert (running.snapshot("other"), running.history("other")) == (None, [])


def test_expected_question_does_not_replace_stored_response(items: Items) -> None:
    running = executions(items)
    running.answer("q", {"question": "Why?"})
    running.expect("q", PAYLOAD, time.time())
    known = running.read_stored("q")
    assert known is not None
    assert known.response == {"question": "Why?"}


def test_failed_question_raises_its_error_and_keeps_history(items: Items) -> None:
    def fail(event: Any) -> Any:
        raise LookupError("nothing there")

    running = executions(items, fail)
    with pytest.raises(TemporarilyUnavailable, match="question q gave no response: LookupError"):
        running.answer("q", {"question": "Why?"})
    snapshot = running.snapshot("q")
    assert snapshot is not None
    assert (snapshot.status, snapshot.output) == ("FAILED", None)


def test_ended_executions_leave_memory_and_last_histories_are_kept(items: Items) -> None:
    running = executions(items)
    for number in range(3):
        running.answer(str(number), {"question": "Why?"})
    assert vars(running)["_at_work"] == {}
    for number in range(KEPT_EXECUTIONS):
        keep_history(ExecutionHistory(f"later {number}", [{"type": "ExecutionStarted"}]))
    assert last_history("2") is None
    assert last_history() == ExecutionHistory(f"later {KEPT_EXECUTIONS - 1}", [{"type": "ExecutionStarted"}])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_question_whose_end_cannot_be_reported_takes_no_place(items: Items) -> None:
    def report(execution: Any) -> None:
        raise BrokenPipeError

    running = executions(items, on_end=report)
    assert running.answer("q", {"question": "Why?"})
    assert vars(running)["_at_work"] == {}
    assert last_history("q")


def test_a_deleted_question_leaves_nothing_on_the_laptop_and_others_stay(items: Items) -> None:
    running, book = executions(items), LocalFeedback(items)
    for question_id in ("q", "other"):
        assert running.answer(question_id, {"question": "Why?"})
        fields = {"question": "Why?", "status": "answered", "answered": "So.", "cited": [], "collections": ["c"]}
        times = {"given_at": 1, "expires_at": int(time.time()) + 60}
        book.keep(Feedback.model_validate({"useful": True, "question_id": question_id, **fields, **times}), "caller")
    book.delete("q")
    running.delete("q")
    assert (running.read_stored("q"), running.snapshot("q"), running.history("q")) == (None, None, [])
    assert [item["question_id"]["S"] for item in items.all(FEEDBACK)] == ["other"]
    assert running.read_stored("other")
    assert running.history("other")


def test_excess_questions_are_refused_until_one_ends(items: Items) -> None:
    held = threading.Event()
    running = executions(items, lambda event: held.wait(SOON))
    for number in range(MAX_QUESTIONS):
        with running.admit():
            running.start(f"q{number}", {"question": "Why?"})
    for begin in (running.admit().__enter__, lambda: running.start("x", {}), lambda: running.answer("x", {})):
        with pytest.raises(TemporarilyUnavailable, match="16 questions are at work"):
            begin()
    held.set()
    while running.watch("q0", 100, SOON) is not None:
        pass
    with running.admit():
        running.answer("x", {"question": "Why?"})


def test_requests_that_have_not_begun_their_questions_are_counted(items: Items) -> None:
    running = executions(items)
    with ExitStack() as requests:
        for _ in range(MAX_QUESTIONS):
            requests.enter_context(running.admit())
        with pytest.raises(TemporarilyUnavailable), running.admit():
            pass
    with running.admit():
        pass
