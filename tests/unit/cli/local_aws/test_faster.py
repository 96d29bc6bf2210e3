"""What is done faster than moto and its libraries do it gives the same."""

import copy
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cli.local.aws.jsonata import evaluate
from cli.local.aws.lighter.faster import json_copy, lookup

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
