"""Parts of a grid of parameters for every run, and all of it for the long ones."""

from collections.abc import Iterable, Sequence
from itertools import cycle, product
from typing import Any

import pytest


def some_of(values: Iterable[Any], *chosen: Any) -> list[Any]:
    """Return the values as parameters, of which only the chosen ones run without the long tests."""
    return [value if value in chosen else _long(value) for value in values]


def pairs(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """Return all pairs as parameters, of which one for each second value runs without the long tests."""
    return some_of(product(first, second), *zip(cycle(first), second, strict=False))


def _long(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.long)
