"""JSONata as Step Functions evaluates it: an undefined result is an error.

Expressions are parsed once and variables are bound as values, so a question with quotes in it cannot become part of an
expression. What AWS would not even accept is for the tests of the definitions.
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

# More than half of what a definition says: a variable, or what lies in it under names, alone or in an array of one.
_PATH = re.compile(r"(\[?)\$([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\]?", re.ASCII)
_UNKNOWN = object()
# AWS gives an expression about a second. Of the thread's own processor time, so that a busy machine changes nothing.
_MOST_SECONDS = 1.0
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


class QueryError(Exception):
    """An expression that AWS fails with States.QueryEvaluationError, or would refuse."""


@dataclass(frozen=True)
class _ParsedExpression:
    """An expression: the library's program, the names that are bound for it, and its path if it is nothing more."""

    program: Any
    names: frozenset[str]
    path: tuple[str, ...]
    in_array: bool


def evaluate(expression: str, bindings: Mapping[str, object]) -> Any:
    """Return the value of an expression with variables bound; raises QueryError where AWS fails."""
    parsed = _parsed(expression)
    if parsed.path and (variable := _at(parsed.path, bindings)) is not _UNKNOWN:
        return [variable] if parsed.in_array and not isinstance(variable, list) else variable
    program = copy(parsed.program)
    # The library takes clock and environment from the instance that it calls current in this thread.
    jsonata.Jsonata.CURRENT.jsonata = program
    try:
        # Python's None is the library's undefined, so a variable that holds null is bound as the library's null.
        null = jsonata.Utils.NULL_VALUE
        bound = {name: null if bindings[name] is None else bindings[name] for name in parsed.names & bindings.keys()}
        # The library calls what has this name before each part of an expression.
        value = program.evaluate(None, {**bound, "__evaluate_entry": _time_box()})
    except Exception as error:  # the library raises its own type and, on odd input, Python's
        raise QueryError(f"{error} in {expression!r}") from error
    if value is None:
        raise QueryError(f"the expression returned nothing (undefined): {expression!r}")
    return _plain(value, expression)


def _time_box() -> Callable[..., None]:
    """Return a callback that raises QueryError once this thread has computed for longer than AWS allows."""
    end = time.thread_time() + _MOST_SECONDS

    def check_time(*_: Any) -> None:
        if time.thread_time() > end:
            raise QueryError(f"it takes longer than {_MOST_SECONDS:g} s of a processor")

    return check_time


def _at(path: tuple[str, ...], bindings: Any) -> Any:
    """A copy of what lies at a path through objects; _UNKNOWN where the library has to say what becomes of it."""
    value = bindings
    try:
        for name in path:
            value = value[name]
        return json.loads(json.dumps(value))
    except (LookupError, TypeError):  # nothing, an array on the way, or no JSON
        return _UNKNOWN


@lru_cache(maxsize=1024)
def _parsed(expression: str) -> _ParsedExpression:
    try:
        program = jsonata.Jsonata(expression)
    except Exception as error:
        raise QueryError(f"{error} in {expression!r}") from error
    program.output_convert_nulls = False  # keeps JSON null apart from undefined
    plain = _PATH.fullmatch(expression)
    path = tuple(plain[2].split(".")) if plain else ()
    return _ParsedExpression(program, frozenset(_VARIABLE.findall(expression)), path, bool(plain and plain[1]))


def _plain(value: Any, expression: str) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item, expression) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, expression) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if value is jsonata.Utils.NULL_VALUE:
        return None
    raise QueryError(f"the expression returned a {type(value).__name__}: {expression!r}")
