"""JSONata as Step Functions evaluates it; the shortcut without the library gives the same results."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from selfrag_cli.local.runner.jsonata import QueryError, evaluate

_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


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


def said(expression: str, bindings: Any) -> tuple[bool, Any]:
    try:
        return True, evaluate(expression, bindings)
    except QueryError:
        return False, None


@given(
    st.recursive(_JSON, lambda inner: st.dictionaries(st.sampled_from("ab"), inner) | st.lists(inner, max_size=2)),
    st.lists(st.sampled_from("ab"), max_size=3),
)
@example({"a": None}, ["a"])
@example({"a": None}, ["a", "b"])
@example({"a": [{"b": 1}, {"b": [2]}]}, ["a", "b"])
@example({"a": [[1]]}, ["a"])
@example([], [])
def test_a_plain_path_gives_what_the_library_gives(value: Any, names: list[str]) -> None:
    path = ".".join(["$x", *names])
    assert said(path, {"x": value}) == said(f"({path})", {"x": value})
    assert said(f"[{path}]", {"x": value}) == said(f"([{path}])", {"x": value})


def test_path_expression_returns_a_copy() -> None:
    bindings = {"x": {"a": ["kept"]}}
    evaluate("$x.a", bindings).append("changed")
    assert bindings == {"x": {"a": ["kept"]}}


def test_a_path_to_something_that_is_no_json_fails() -> None:
    assert said("$x.a", {"x": {"a": datetime(2026, 11, 22, tzinfo=UTC)}}) == (False, None)


def test_an_expression_that_never_ends_is_given_up() -> None:
    with pytest.raises(QueryError, match="longer than 1 s of a processor"):
        evaluate("($again := function($n) { $again($n + 1) }; $again(1))", {})
