"""Parts of a grid of parameters for every run, and all of it for the long ones."""

from collections.abc import Iterable
from typing import Any

import pytest


def some_of(values: Iterable[Any], *chosen: Any) -> list[Any]:
    """Return the values as parameters, of which only the chosen ones run without the long tests."""
    return [value if value in chosen else pytest.param(value, marks=pytest.mark.long) for value in values]
