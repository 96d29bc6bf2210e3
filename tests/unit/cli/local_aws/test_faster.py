"""What is done faster than moto and its libraries do it gives the same."""

import copy
import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from cli.local.aws.jsonata import QueryError, evaluate
from cli.local.aws.lighter.faster import fits, json_copy, lookup

_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_JSON)
def test_a_copy_of_json_is_equal_and_shares_nothing_that_can_change(value: Any) -> None:
    copied = json_copy([value, {"a": value}])
    assert copied == [value, {"a": value}]
    kept = copy.deepcopy(value)
    for part in (copied[0], copied[1]["a"]):
        if isinstance(part, list):
            part.append("changed")
        elif isinstance(part, dict):
            part["changed"] = True
    assert value == kept


def test_what_is_no_json_is_copied_as_python_does() -> None:
    at = datetime(2026, 11, 22, tzinfo=UTC)
    value = {"started": at, "names": ["a"]}
    copied = json_copy(value)
    assert copied == value
    assert copied["names"] is not value["names"]


def test_a_name_is_found_in_the_frame_or_around_it_and_null_is_a_value() -> None:
    class Frame:
        def __init__(self, parent: Any, **bindings: Any) -> None:
            self.parent, self.bindings = parent, bindings

    inner = Frame(Frame(None, a=1, b=2), b=None)
    assert [lookup(inner, name) for name in "abc"] == [1, None, None]


def test_an_expression_sees_the_variable_that_is_nearest_and_null_stays_null() -> None:
    assert evaluate("($a := 2; {'a': $a, 'b': $b.c, 'n': [$n, null]})", {"a": 1, "b": {"c": [1]}, "n": None}) == {
        "a": 2,
        "b": [1],
        "n": [None],
    }


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


def test_what_a_path_gives_is_a_copy() -> None:
    bindings = {"x": {"a": ["kept"]}}
    evaluate("$x.a", bindings).append("changed")
    assert bindings == {"x": {"a": ["kept"]}}


def test_a_path_to_something_that_is_no_json_fails() -> None:
    assert said("$x.a", {"x": {"a": datetime(2026, 11, 22, tzinfo=UTC)}}) == (False, None)


@given(st.lists(_JSON), st.integers(-3, 3), st.integers(1, 4))
@example(["\x01" * 50], 0, 3)
@example([False] * 50, 0, 1)
@example([{"a name that comes again": 0.1}] * 50, 0, 1)
@example(["語" * 50], 0, 1)
def test_a_value_fits_if_its_json_has_so_many_bytes(value: Any, near: int, times: int) -> None:
    size = len(json.dumps(value, ensure_ascii=False).encode())
    for most in (size + near, size * times, size // times):
        assert fits(value, most) == (size <= most)


def test_a_text_fits_by_its_own_bytes() -> None:
    assert fits("語" * 100, 300)
    assert not fits("語" * 100, 299)
