"""JSONata as Step Functions evaluates it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from selfrag_cli.local.runner.jsonata import QueryError, evaluate


def test_an_expression_sees_the_variable_that_is_nearest_and_null_stays_null() -> None:
    assert evaluate("($a := 2; {'a': $a, 'b': $b.c, 'n': [$n, null]})", {"a": 1, "b": {"c": [1]}, "n": None}) == {
        "a": 2,
        "b": [1],
        "n": [None, None],
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$n", None),
        ("{'n': $n}", {"n": None}),
        ("$merge([{'a': 1}, {'n': $n}])", {"a": 1, "n": None}),
        ("[$exists($n), $n = null, $exists($missing)]", [True, True, False]),
    ],
)
def test_a_variable_that_holds_null_is_no_missing_one(expression: str, value: Any) -> None:
    assert evaluate(expression, {"n": None}) == value


def test_path_expression_returns_a_copy() -> None:
    bindings = {"x": {"a": ["kept"]}}
    evaluate("$x.a", bindings).append("changed")
    assert bindings == {"x": {"a": ["kept"]}}


def test_a_path_to_something_that_is_no_json_fails() -> None:
    with pytest.raises(QueryError):
        evaluate("$x.a", {"x": {"a": datetime(2026, 11, 22, tzinfo=UTC)}})


def test_an_expression_that_never_ends_is_given_up() -> None:
    with pytest.raises(QueryError, match="longer than 1 s of a processor"):
        evaluate("($again := function($n) { $again($n + 1) }; $again(1))", {})
