"""JSONata as Step Functions evaluates it: strict about undefined values and about what may be named.

PLATFORM facts that this file makes true on the laptop: an undefined result is an error; `$`, `$$`,
`$eval` and names without a context are refused at the top level. Expressions are parsed once and
variables are bound as values, so a question with quotes in it cannot become part of an expression.
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
# AWS gives up at a depth of 99 to 101, by what others have observed.
_MOST_DEPTH = 95
# AWS gives an expression about a second. Of the thread's own processor time, so that a busy machine changes nothing.
_MOST_SECONDS = 1.0
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


class QueryError(Exception):
    """An expression that AWS would refuse, or fail with States.QueryEvaluationError."""


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
        bound = {name: bindings[name] for name in parsed.names & bindings.keys()}
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
        if value is None and len(path) == 1:
            return _UNKNOWN
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
    refused = _refused(program.ast, has_context=False)
    if refused:
        raise QueryError(f"{refused} is refused at the top level: {expression!r}")
    if _depth(program.ast) > _MOST_DEPTH:
        raise QueryError(f"deeper than {_MOST_DEPTH} expressions in each other: {expression!r}")
    plain = _PATH.fullmatch(expression)
    path = tuple(plain[2].split(".")) if plain else ()
    return _ParsedExpression(program, frozenset(_VARIABLE.findall(expression)), path, bool(plain and plain[1]))


def check(expression: str) -> None:
    """Raise QueryError if AWS would not even accept the expression."""
    _parsed(expression)


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


def _refused(node: Any, has_context: bool) -> str | None:
    """Return the first part of a syntax tree that needs a context where there is none."""
    if node is None:
        return None
    if node.type == "variable" and node.value in ("", "$", "eval") and (node.value == "eval" or not has_context):
        return f"${node.value}"
    if node.type in ("name", "wildcard", "descendant", "parent") and not has_context:
        return str(node.value)
    for child, gives_context in _children(node):
        refusal = _refused(child, has_context or gives_context)
        if refusal:
            return refusal
    return None


def depth_of(expression: str) -> int:
    """Return how deep expressions stand in each other; raises QueryError if AWS would not accept the expression."""
    return _depth(_parsed(expression).program.ast)


def _depth(node: Any) -> int:
    return 1 + max((_depth(child) for child, _ in _children(node)), default=0)


def _children(node: Any) -> list[tuple[Any, bool]]:
    """Return a node's parts, each with whether the node gives it a context (a path's later steps, and filters)."""
    parts: list[tuple[Any, bool]] = [(step, index > 0) for index, step in enumerate(node.steps or ())]
    parts += [(stage, True) for key in ("predicate", "stages", "terms") for stage in getattr(node, key, None) or ()]
    parts += [(item, False) for pair in node.lhs_object or () for item in pair]
    # Grouping `$x{...}` gives each of its expressions a context.
    parts += [(item, True) for pair in getattr(node.group, "lhs_object", None) or () for item in pair]
    single = ("lhs", "rhs", "expression", "condition", "then", "_else", "body", "procedure")
    children = [getattr(node, key, None) for key in single]
    children += [child for key in ("expressions", "arguments") for child in getattr(node, key, None) or ()]
    return parts + [(child, False) for child in children if hasattr(child, "type")]
