"""The interpreter is as strict as AWS, so that what runs on the laptop and in tests runs there."""

import json
from typing import Any

import pytest

from selfrag_cli.local.runner.jsonata import QueryError, evaluate
from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.runner.tasks import services
from selfrag_cli.local.stack import MACHINE_ARN
from tests.support.aws.states import Answers
from tests.support.jsonata_rules import check


def run(states: dict[str, Any], given: Any = None, **handlers: Any) -> dict[str, Any]:
    """Return the end of an execution of these states, the first of which begins."""
    definition = {"QueryLanguage": "JSONata", "StartAt": next(iter(states)), "States": states}
    called = {name: lambda event, context, f=f: f(event) for name, f in handlers.items()}
    machine = Machine(MACHINE_ARN, definition, services(called, Answers()), lambda seconds: None)
    ended = machine.start("e", given or {}).wait()
    output = None if ended.output is None else json.dumps(ended.output)
    return {"status": ended.status, "error": ended.error.partition(": ")[0], "output": output}


def passing(**fields: Any) -> dict[str, Any]:
    return {"Only": {"Type": "Pass", **fields, "End": True}}


def task(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": name, "Payload": {}},
        **fields,
    }


def test_an_undefined_value_fails_the_execution() -> None:
    ended = run(passing(Output="{% $states.input.absent %}"))
    assert ended["status"] == "FAILED"
    assert ended["error"] == "States.QueryEvaluationError"


def test_null_is_a_value() -> None:
    ended = run(passing(Output={"there": "{% $states.input.x %}"}), {"x": None})
    assert json.loads(ended["output"]) == {"there": None}


def test_an_undefined_value_is_caught_like_any_error_of_a_task() -> None:
    states = {
        "T": task(
            "f",
            Assign={"x": "{% $states.result.Payload.absent %}"},
            Catch=[{"ErrorEquals": ["States.QueryEvaluationError"], "Output": {"caught": True}, "Next": "After"}],
            Next="After",
        ),
        "After": {"Type": "Pass", "End": True},
    }
    assert json.loads(run(states, f=lambda event: {})["output"]) == {"caught": True}


def test_a_filter_that_matches_one_item_yields_the_item() -> None:
    items = {"xs": [{"a": 1}, {"a": 2}]}
    ended = run(passing(Output={"one": "{% $states.input.xs[a=1] %}", "list": "{% [$states.input.xs[a=1]] %}"}), items)
    assert json.loads(ended["output"]) == {"one": {"a": 1}, "list": [{"a": 1}]}
    assert run(passing(Output="{% $states.input.xs[a=9] %}"), items)["error"] == "States.QueryEvaluationError"


@pytest.mark.parametrize(
    "expression",
    ["$", "$$", "foo", "[foo]", "{'a': foo}", "$count(foo)", "$eval('1')", "*", "$x ? foo : 1", "($y := foo; $y)"],
)
def test_jsonata_name_without_context_is_refused(expression: str) -> None:
    with pytest.raises(QueryError):
        check(expression)


@pytest.mark.parametrize("expression", ["$x.foo", "$x[foo=1]", "$x.{'a': foo}", "$x.$", "$map($x, function($v){$v.a})"])
def test_jsonata_name_with_context_is_accepted(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "$a % 2",
        "$sort($a, function($b, $c) { $b > $c })",
        "$map($a, $distinct)",
        "$formatNumber($a, '0')",
        "$replace($a, /\\d+/, '')",
        "$contains($a, /b$/)",
    ],
)
def test_expressions_with_differing_engines_are_refused(expression: str) -> None:
    with pytest.raises(QueryError, match="otherwise on AWS"):
        check(expression)


def test_too_deep_expressions_are_refused() -> None:
    check("+".join(["1"] * 60))
    with pytest.raises(QueryError, match="deeper than 95"):
        check("+".join(["1"] * 200))


def test_assign_and_output_see_the_same_old_values() -> None:
    states = {
        "First": {"Type": "Pass", "Assign": {"n": 1}, "Next": "Second"},
        "Second": {
            "Type": "Pass",
            "Assign": {"n": "{% $n + 1 %}", "old": "{% $n %}"},
            "Output": "{% $n %}",
            "Next": "Third",
        },
        "Third": {"Type": "Pass", "Output": ["{% $states.input %}", "{% $n %}", "{% $old %}"], "End": True},
    }
    assert json.loads(run(states)["output"]) == [1, 2, 1]


def test_an_inner_scope_cannot_write_an_outer_variable() -> None:
    inner = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Assign": {"x": 2}, "End": True}}}
    states = {
        "First": {"Type": "Pass", "Assign": {"x": 1}, "Next": "M"},
        "M": {
            "Type": "Map",
            "Items": [1],
            "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, **inner},
            "End": True,
        },
    }
    assert run(states)["status"] == "FAILED"


def test_text_with_quotes_and_line_breaks_stays_text() -> None:
    hostile = 'a "quoted" \\ {% $states %} \n $x := 1 `b` 日本'
    states = {
        "First": {"Type": "Pass", "Assign": {"x": "{% $states.input.x %}"}, "Next": "Second"},
        "Second": {"Type": "Pass", "Output": {"x": "{% $x %}"}, "End": True},
    }
    assert json.loads(run(states, {"x": hostile})["output"]) == {"x": hostile}


def test_oversized_variable_fails_and_escapes_catch_all() -> None:
    states = {
        "T": task(
            "f",
            Assign={"x": "{% $states.result.Payload.text %}"},
            Output={},
            Catch=[{"ErrorEquals": ["States.ALL"], "Next": "After"}],
            Next="After",
        ),
        "After": {"Type": "Pass", "End": True},
    }
    ended = run(states, f=lambda event: {"text": "x" * 262_145})
    assert ended["status"] == "FAILED"
    assert ended["error"] == "States.DataLimitExceeded"


def test_error_is_retried_by_class_name_up_to_limit() -> None:
    class TemporarilyUnavailable(Exception): ...

    seen = []

    def failing(event: Any) -> Any:
        seen.append(event)
        raise TemporarilyUnavailable("busy")

    retry = [{"ErrorEquals": ["TemporarilyUnavailable"], "IntervalSeconds": 1, "MaxAttempts": 3}]
    ended = run({"T": task("f", Retry=retry, End=True)}, f=failing)
    assert (ended["error"], len(seen)) == ("TemporarilyUnavailable", 4)


def test_a_function_is_not_a_value() -> None:
    with pytest.raises(QueryError):
        evaluate("$count", {})
