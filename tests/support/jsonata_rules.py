"""Step Functions' restrictions of JSONata: at the top level no `$`, `$$`, `$eval`, and no name without a context.

Expressions for which jsonata-python 0.7.1 differs from AWS's engine (jsonata 2.0.6) are refused, too.
"""

import re
from typing import Any

import jsonata

from selfrag_cli.local.runner.jsonata import QueryError

# AWS fails at a depth of 99 to 101, by observations of others.
_MAX_DEPTH = 95
# Ties of `$sort`, and what `$distinct` and `$formatNumber` return; remainders; classes and `$` of regular expressions.
_DIFFERENT_FUNCTIONS = ("sort", "distinct", "formatNumber")
_DIFFERENT_PATTERN = re.compile(r"\\[dwsDWS]|\$")


def check(expression: str) -> None:
    """Raise QueryError if AWS would not even accept the expression."""
    tree = _parsed(expression)
    if refused := _refused(tree, has_context=False):
        raise QueryError(f"{refused} is refused at the top level: {expression!r}")
    if differing := _differing(tree):
        raise QueryError(f"{differing} is evaluated otherwise on AWS than on the laptop: {expression!r}")
    if _depth(tree) > _MAX_DEPTH:
        raise QueryError(f"deeper than {_MAX_DEPTH} expressions in each other: {expression!r}")


def depth_of(expression: str) -> int:
    """Return how deep expressions stand in each other."""
    return _depth(_parsed(expression))


def _parsed(expression: str) -> Any:
    try:
        return jsonata.Jsonata(expression).ast
    except Exception as error:  # the library raises its own type and, on odd input, Python's
        raise QueryError(f"{error} in {expression!r}") from error


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


def _differing(node: Any) -> str | None:
    """Return the first part of a syntax tree that the two engines evaluate otherwise."""
    if node.type == "binary" and node.value == "%":
        return "%"
    if node.type == "variable" and node.value in _DIFFERENT_FUNCTIONS:
        return f"${node.value}"
    if node.type == "regex" and _DIFFERENT_PATTERN.search(getattr(node.value, "pattern", "")):
        return f"/{node.value.pattern}/"
    return next(filter(None, (_differing(child) for child, _ in _children(node))), None)


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
