"""JSONata as evaluated by Step Functions: an undefined result is an error.

Expressions are parsed once and variables bound as values, so a question cannot inject expressions. Tests of the
definitions check whether AWS accepts an expression.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonata

# The most common expressions: a variable or a path into it, alone or in an array of one.
_PATH = re.compile(r"(\[?)\$([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\]?", re.ASCII)
_UNKNOWN = object()
# AWS allows about a second; measured in CPU time of this thread, independent of load.
_MAX_SECONDS = 1.0
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


class QueryError(Exception):
    """An expression that fails with States.QueryEvaluationError or that AWS would reject."""


@dataclass(frozen=True)
class _ParsedExpression:
    """An expression: the library's program, its bindings, and its path if it is only that."""

    program: Any
    names: frozenset[str]
    path: tuple[str, ...]
    in_array: bool


def evaluate(expression: str, bindings: Mapping[str, object]) -> Any:
    """Evaluate an expression with variables; raises QueryError where AWS fails."""
    parsed = _parse(expression)
    if parsed.path and (variable := _copy_at(parsed.path, bindings)) is not _UNKNOWN:
        return [variable] if parsed.in_array and not isinstance(variable, list) else variable
    program = copy(parsed.program)
    # The library reads clock and environment from this thread's current instance.
    jsonata.Jsonata.CURRENT.jsonata = program
    try:
        # The library's undefined is None, so null variables are bound as its null.
        null = jsonata.Utils.NULL_VALUE
        bound = {name: null if bindings[name] is None else bindings[name] for name in parsed.names & bindings.keys()}
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


def _copy_at(path: tuple[str, ...], bindings: Any) -> Any:
    """Copy the value at a path through objects; _UNKNOWN if only the library can decide."""
    value = bindings
    try:
        for name in path:
            value = value[name]
        return json.loads(json.dumps(value))
    except (LookupError, TypeError):  # missing, an array on the path, or not JSON
        return _UNKNOWN


@lru_cache(maxsize=1024)
def _parse(expression: str) -> _ParsedExpression:
    try:
        program = jsonata.Jsonata(expression)
    except Exception as error:
        raise QueryError(f"{error} in {expression!r}") from error
    program.output_convert_nulls = False  # distinguishes JSON null from undefined
    plain = _PATH.fullmatch(expression)
    path = tuple(plain[2].split(".")) if plain else ()
    return _ParsedExpression(program, frozenset(_VARIABLE.findall(expression)), path, bool(plain and plain[1]))


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
