"""A state machine of this process whose tasks take too long, fail side by side, or are watched."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from selfrag_cli.local.runner.machine import Execution, Machine
from selfrag_cli.local.runner.tasks import services
from selfrag_cli.local.stack import INGESTION, MACHINE_ARN, QUESTION, definition_of
from tests.support.aws.states import Answers

SOON = 20.0
CAUGHT = [{"ErrorEquals": ["States.ALL"], "Output": "{% $states.errorOutput.Error %}", "Next": "After"}]
AFTER = {"Type": "Pass", "End": True}


class Busy(Exception): ...


def machine(states: dict[str, Any], pause: Any = None, seconds: float = 60, **handlers: Any) -> Machine:
    definition = {"StartAt": next(iter(states)), "States": states, "TimeoutSeconds": seconds}
    called = {name: lambda event, context, f=f: f(event) for name, f in handlers.items()}
    return Machine(MACHINE_ARN, definition, services(called, Answers()), pause or (lambda seconds: None))


def ran(states: dict[str, Any], given: Any = None, **more: Any) -> Execution:
    return machine(states, **more).start("e", given or {}).wait()


def task(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": name, "Payload": "{% $states.input %}"},
        "Output": "{% $states.result.Payload %}",
        **({} if "Next" in fields else {"End": True}),
        **fields,
    }


def each(inner: dict[str, Any], **fields: Any) -> dict[str, Any]:
    processor = {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": next(iter(inner)), "States": inner}
    return {"Type": "Map", "Items": "{% $states.input.items %}", "ItemProcessor": processor, **fields}


def kinds(execution: Execution) -> list[str]:
    return [event["type"] for event in execution.history]


@pytest.fixture
def held() -> Any:
    event = threading.Event()
    yield event
    event.set()


def test_task_timeout_is_caught_and_late_result_ignored(held: threading.Event) -> None:
    states = {"T": task("slow", TimeoutSeconds="{% 1 / 50 %}", Catch=CAUGHT), "After": AFTER}
    ended = ran(states, slow=lambda event: held.wait(SOON))
    assert (ended.status, ended.output) == ("SUCCEEDED", "States.Timeout")
    assert "TaskTimedOut" in kinds(ended)


def test_an_execution_ends_with_its_own_time_and_nothing_catches_that(held: threading.Event) -> None:
    states = {"T": task("slow", Catch=CAUGHT), "After": AFTER}
    ended = ran(states, seconds=0.02, slow=lambda event: held.wait(SOON))
    assert (ended.status, ended.output, ended.error) == ("TIMED_OUT", None, "TIMED_OUT")
    assert kinds(ended)[-1] == "ExecutionTimedOut"


def test_a_stopped_execution_begins_no_other_step_and_nothing_catches_that(held: threading.Event) -> None:
    running, begun = threading.Event(), list[str]()

    def slow(event: Any) -> Any:
        running.set()
        return held.wait(SOON)

    inner = {"T": task("slow", Catch=CAUGHT, Next="U"), "U": task("next"), "After": AFTER}
    states = {"M": each(inner, Next="V"), "V": task("next")}
    stopped = machine(states, slow=slow, next=lambda event: begun.append("next"))
    execution = stopped.start("e", {"items": [1, 2]})
    assert running.wait(SOON)
    execution.stop()
    execution.wait()
    assert (execution.status, execution.output, execution.error, begun) == ("ABORTED", None, "ABORTED", [])
    assert kinds(execution)[-1] == "ExecutionAborted"
    execution.stop()
    assert execution.status == "ABORTED"


def test_wait_and_retry_use_configured_delays() -> None:
    waited: list[float] = []
    retry = [
        {"ErrorEquals": ["Busy"], "IntervalSeconds": 2, "MaxAttempts": 4, "BackoffRate": 2.0, "MaxDelaySeconds": 5}
    ]

    def busy(event: Any) -> Any:
        raise Busy

    states = {
        "W": {"Type": "Wait", "Seconds": "{% 3 * 3 %}", "Next": "T"},
        "T": task("busy", Retry=retry, Catch=CAUGHT),
        "After": AFTER,
    }
    ended = ran(states, pause=waited.append, busy=busy)
    assert (ended.output, waited) == ("Busy", [9, 2, 4, 5, 5])
    assert kinds(ended).count("TaskFailed") == 5


def test_map_items_run_concurrently_with_results_in_order() -> None:
    together, most, at_work = threading.Barrier(3), [], set[int]()

    def meet(item: int) -> int:
        at_work.add(item)
        together.wait(SOON)
        most.append(len(at_work))
        together.wait(SOON)
        at_work.discard(item)
        return item * 10

    states = {"M": each({"T": task("meet")}, MaxConcurrency="{% $states.input.at_once %}", End=True)}
    ended = ran(states, {"items": [1, 2, 3, 4, 5, 6], "at_once": 3}, meet=meet)
    assert (ended.output, max(most)) == ([10, 20, 30, 40, 50, 60], 3)


def test_failed_map_item_stops_remaining_items_and_is_caught() -> None:
    begun = []

    def fail(item: int) -> Any:
        begun.append(item)
        raise Busy("too much")

    states = {"M": each({"T": task("fail")}, MaxConcurrency=1, Catch=CAUGHT, Next="After"), "After": AFTER}
    ended = ran(states, {"items": [1, 2, 3]}, fail=fail)
    assert (ended.output, begun) == ("Busy", [1])
    assert kinds(ended)[-7:] == [
        "TaskFailed", "MapIterationFailed", "MapStateFailed", "MapStateExited", "PassStateEntered", "PassStateExited",
        "ExecutionSucceeded",
    ]  # fmt: skip


def test_running_map_item_stops_after_its_state_if_another_fails() -> None:
    failed, begun = threading.Event(), threading.Event()

    def first(item: int) -> Any:
        if item == 1:
            begun.wait(SOON)
            raise Busy
        begun.set()
        failed.wait(SOON)
        return item

    inner = {"First": task("first", Next="Second"), "Second": task("second")}
    states = {"M": each(inner, Catch=CAUGHT, Next="After"), "After": AFTER}
    running = machine(states, first=first, second=lambda item: pytest.fail("it began")).start("e", {"items": [1, 2]})
    seen = 0
    while "MapIterationFailed" not in kinds(running):
        seen = running.watch(seen, SOON) or seen
    failed.set()
    assert running.wait().output == "Busy"
    assert "MapIterationAborted" in kinds(running)


def test_map_item_assignments_are_local() -> None:
    inner = {"P": {"Type": "Pass", "Assign": {"n": "{% $states.input %}"}, "Output": "{% $m %}", "End": True}}
    states = {
        "F": {"Type": "Pass", "Assign": {"m": 7}, "Next": "M"},
        "M": each(inner, Output=["{% $states.result %}", "{% $exists($n) %}"], End=True),
    }
    assert ran(states, {"items": [1, 2]}).output == [[7, 7], False]


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({"Type": "Choice", "Choices": [{"Condition": "{% 1 %}", "Next": "After"}]}, "States.QueryEvaluationError"),
        ({"Type": "Choice", "Choices": [{"Condition": "{% false %}", "Next": "After"}]}, "States.NoChoiceMatched"),
        ({"Type": "Fail", "Error": "E", "Cause": "{% 'be' & 'cause' %}"}, "E: because"),
        ({"Type": "Pass", "Output": "{% $pad('x', 262145) %}", "End": True}, "States.DataLimitExceeded"),
        (each({"P": AFTER}, End=True), "States.QueryEvaluationError"),
    ],
)
def test_an_execution_fails_by_the_name_that_aws_gives(state: dict[str, Any], error: str) -> None:
    ended = ran({"S": state, "After": AFTER}, {"items": {}})
    assert (ended.status, ended.output) == ("FAILED", None)
    assert ended.error.startswith(error)
    assert kinds(ended)[-1] == "ExecutionFailed"


def test_a_task_cannot_change_what_the_execution_knows() -> None:
    def change(event: dict[str, Any]) -> Any:
        event["list"].append("changed")
        return event

    states = {
        "F": {"Type": "Pass", "Assign": {"known": "{% $states.input %}"}, "Next": "T"},
        "T": task("change", Output="{% $known %}"),
    }
    assert ran(states, {"list": []}, change=change).output == {"list": []}


def test_watcher_is_woken_by_finished_step_while_next_runs() -> None:
    first, second = threading.Event(), threading.Event()
    states = {"A": task("first", Next="B"), "B": task("second")}
    running = machine(states, first=lambda event: first.wait(SOON), second=lambda event: second.wait(SOON)).start(
        "e", {}
    )
    seen = 0
    while "TaskStarted" not in kinds(running):
        seen = running.watch(seen, SOON) or seen
    seen = len(kinds(running))
    with ThreadPoolExecutor(1) as pool:
        woken = pool.submit(running.watch, seen, SOON)
        first.set()
        assert (woken.result(SOON) or 0) > seen
    second.set()
    running.wait()
    assert running.watch(len(running.history), SOON) is None


# The fields of each state type that the runner reads; `Comment` is for people.
_LEFT, _TRIED = {"Type", "Comment", "Assign", "Output", "Next", "End"}, {"Retry", "Catch"}
READ: dict[str, set[str]] = {
    "Pass": _LEFT,
    "Succeed": _LEFT,
    "Wait": _LEFT | {"Seconds"},
    "Choice": _LEFT | {"Choices", "Default"},
    "Fail": {"Type", "Comment", "Error", "Cause"},
    "Task": _LEFT | _TRIED | {"Resource", "Arguments", "TimeoutSeconds"},
    "Map": _LEFT | _TRIED | {"Items", "MaxConcurrency", "ItemProcessor"},
}


def states_in(part: dict[str, Any], look: Callable[[dict[str, Any]], None]) -> None:
    for state in part["States"].values():
        look(state)
        if "ItemProcessor" in state:
            states_in(state["ItemProcessor"], look)


@pytest.mark.parametrize("path", [QUESTION, INGESTION], ids=lambda path: path.name)
def test_the_definitions_say_nothing_that_the_runner_does_not_read(path: Any) -> None:
    definition = definition_of(path, {})
    assert definition.keys() <= {"Comment", "QueryLanguage", "StartAt", "States", "TimeoutSeconds"}
    unread: list[Any] = []
    states_in(definition, lambda state: unread.extend(state.keys() - READ[state["Type"]]))
    assert unread == []
