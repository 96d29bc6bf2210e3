"""JSONata as evaluated by Step Functions: an undefined result is an error.

Expressions are parsed once and variables bound as values, so a question cannot inject expressions. Tests of the
definitions check whether AWS accepts an expression.
"""

import re
import time
from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from typing import Any

import jsonata

# AWS allows about a second; measured in CPU time of this thread, independent of load.
_MAX_SECONDS = 1.0
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


class QueryError(Exception):
    """An expression that fails with States.QueryEvaluationError or that AWS would reject."""


def evaluate(expression: str, bindings: Mapping[str, object]) -> Any:
    """Evaluate an expression with variables; raises QueryError where AWS fails."""
    parsed, names = _parse(expression)
    program = copy(parsed)
    # The library reads clock and environment from this thread's current instance.
    jsonata.Jsonata.CURRENT.jsonata = program
    try:
        # The library's undefined is None, so null variables are bound as its null.
        null = jsonata.Utils.NULL_VALUE
        bound = {name: null if bindings[name] is None else bindings[name] for name in names & bindings.keys()}
        # The library calls this hook before each part of an expression.
        value = program.evaluate(None, {**bound, "__evaluate_entry": _time_box()})
    except Exception as error:  # the library raises its own type and, on odd input, Python's
        raise QueryError(f"{error} in {expression!r}") from error
    if value is None:
        raise QueryError(f"the expression returned nothing (undefined): {expression!r}")
    return _to_plain(value, expression)


def _time_box() -> Callable[..., None]:
    """Return a callback that raises QueryError after the allowed CPU time."""
    end = time.thread_time() + _MAX_SECONDS

    def check_time(*_: Any) -> None:
        if time.thread_time() > end:
            raise QueryError(f"it takes longer than {_MAX_SECONDS:g} s of a processor")

    return check_time


@lru_cache(maxsize=1024)
def _parse(expression: str) -> tuple[Any, frozenset[str]]:
    """Return the library's program and the names of the variables."""
    try:
        program = jsonata.Jsonata(expression)
    except Exception as error:
        raise QueryError(f"{error} in {expression!r}") from error
    program.output_convert_nulls = False  # distinguishes JSON null from undefined
    return program, frozenset(_VARIABLE.findall(expression))


def _to_plain(value: Any, expression: str) -> Any:
    if isinstance(value, dict):
        return {key: _to_plain(item, expression) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item, expression) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if value is jsonata.Utils.NULL_VALUE:
        return None
    raise QueryError(f"the expression returned a {type(value).__name__}: {expression!r}")
