"""How the time of a regular expression or a function grows with texts of one repeated token."""

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ROOT = Path(__file__).parents[2]
METHODS = frozenset({"sub", "subn", "search", "match", "fullmatch", "finditer", "findall", "split"})
GENERIC = ("a", "A", "1", " ", "\n", ".", "!?", "a ", "1,", "((", "<a ", "```", "年", "\u0301", "&#", '"')
# Expressions that get no longer text than this, in characters: a cell, a number's format, the beginning of a page.
BOUNDS = {
    "selfrag.reader.column_names._DATA": 100,
    "selfrag.reader.data.encodings._DECLARED": 1024,
}
SIZES = (250, 1_000, 4_000, 16_000)
# A linear expression takes some milliseconds at most for the largest text, and four times as long for four times as
# much; a quadratic one takes over 0.1 s, and 16 times as long.
NOTICEABLE, SUSPICIOUS, MAX_GROWTH = 0.03, 0.0004, 9.0
_CATEGORIES = {"DIGIT": "1", "WORD": "a", "SPACE": " ", "NOT_WORD": ".", "NOT_DIGIT": "a", "NOT_SPACE": "a"}


@dataclass(frozen=True)
class Expression:
    """A regular expression of the product, its location, and the methods that use it."""

    module: str
    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Slow:
    """A text that takes an expression much longer when it is four times as long; `seconds` are those of the longer."""

    prefix: str
    token: str
    seconds: float
    growth: float


def expressions() -> list[Expression]:
    """Return every regular expression that the modules of the product hold or write in a call, each once."""
    modules = list(_modules())
    shared = _methods(tree for _, tree in modules)
    found: dict[tuple[str, Any], Expression] = {}
    for name, tree in modules:
        module, own = importlib.import_module(name), _methods([tree])
        for key, value in vars(module).items():
            for pattern in _patterns(value):
                used = (own if key.startswith("_") else shared).get(key, frozenset({"finditer"}))
                found.setdefault((name, pattern.pattern), Expression(name, key, pattern, used))
        for call in ast.walk(tree):
            if _is_of_re(call) and (pattern := _written(call, vars(module))):
                used = frozenset({call.func.attr})  # type: ignore[attr-defined]
                found.setdefault((name, pattern.pattern), Expression(name, f"line {call.lineno}", pattern, used))  # type: ignore[attr-defined]
    return list(found.values())


def texts_for(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return prefixes, each with a token to repeat after it, derived from the expression itself."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    beginnings = sorted({text for way in _ways(parsed) for text in _beginnings(way)} - {""}, key=len)[:14]
    letters = list(dict.fromkeys(letter for way in _ways(parsed) for piece in way for letter in piece))[:8]
    tokens = dict.fromkeys([*letters, *map("".join, permutations(letters, 2)), *beginnings, *GENERIC])
    behind = dict.fromkeys([*letters, *GENERIC[:6]])
    return [*(("", token) for token in tokens), *((prefix, token) for prefix in beginnings for token in behind)]


def slowest(expression: Expression, most: int | None = None) -> Slow | None:
    """Return the text on which an expression takes more than proportional time; `most` is the longest that it gets."""
    for method in sorted(expression.methods):
        run = _running(expression.pattern, method)
        for prefix, token in texts_for(expression.pattern):
            if slow := grown(run, prefix, token, most):
                return slow
    return None


def grown(run: Callable[[str], object], prefix: str, token: str, most: int | None = None) -> Slow | None:
    """Return how the time of `run` grows with a repeated token, None if no more than in proportion.

    If inputs are limited to `most` characters, only the time for that length counts, and it must be negligible.
    """
    if most is not None:
        took = _seconds(run, prefix, token, most)
        return Slow(prefix, token, took, 1.0) if took > NOTICEABLE else None
    before = _seconds(run, prefix, token, SIZES[0])
    for size in SIZES[1:]:
        took = _seconds(run, prefix, token, size)
        if took > NOTICEABLE and took > MAX_GROWTH * before:
            # Another process may have had the processor's cache.
            before = min(before, *(_seconds(run, prefix, token, size // 4) for _ in range(3)))
            took = min(took, *(_seconds(run, prefix, token, size) for _ in range(3)))
            if took > MAX_GROWTH * before:
                return Slow(prefix, token, took, took / before)
        if size > SIZES[1] and took < SUSPICIOUS:
            return None
        before = took
    return None


def seconds_at(expression: Expression, size: int) -> tuple[float, str]:
    """Return the time for a text of so many characters, made of the text that takes longest when it is short."""
    took = []
    for method in expression.methods:
        run = _running(expression.pattern, method)
        tried = [
            (_seconds(run, prefix, token, SIZES[1]), prefix, token) for prefix, token in texts_for(expression.pattern)
        ]
        for _, prefix, token in sorted(tried)[-3:]:
            took.append((_seconds(run, prefix, token, size), prefix + token))
    return max(took)


def _seconds(run: Callable[[str], object], prefix: str, token: str, size: int) -> float:
    text = prefix + token * (size // len(token))
    began = time.thread_time()
    run(text)
    return time.thread_time() - began


def _running(pattern: re.Pattern[Any], method: str) -> Callable[[str], object]:
    """Return what looks through a text as the method does: for all that it finds, or from the beginning."""
    at_the_beginning = getattr(pattern, method) if method in ("match", "fullmatch", "search") else None

    def run(text: str) -> None:
        given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
        if at_the_beginning:
            at_the_beginning(given)
        else:
            for _ in pattern.finditer(given):
                pass

    return run


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for base in (ROOT / "functions", ROOT / "cli"):
        for path in sorted(base.rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if path.name != "__main__.py" and any(map(_is_of_re, ast.walk(tree))):
                yield ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__"), tree


def _methods(trees: Iterable[ast.Module]) -> Mapping[str, frozenset[str]]:
    """Return the methods that are called on each name."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _is_of_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    )


def _written(call: Any, names: dict[str, Any]) -> re.Pattern[Any] | None:
    """Return the expression that a call writes; None for one that is only known when it runs."""
    if call.func.attr not in METHODS:
        return None
    try:
        written = eval(compile(ast.Expression(call.args[0]), call.func.attr, "eval"), dict(names))  # our own source
    except NameError:
        return None
    return re.compile(written)


def _patterns(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _patterns(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _patterns(each)


def _beginnings(way: Sequence[str]) -> Iterator[str]:
    for end in range(len(way) + 1):
        yield "".join(way[:end])


def _ways(items: Iterable[tuple[Any, Any]]) -> list[list[str]]:
    """Return some texts that an expression matches, in pieces: one for each branch, and of each repeat one time."""
    ways: list[list[str]] = [[]]
    for kind, value in items:
        more = _more(kind, value)
        ways = [[*way, *pieces] for way in ways for pieces in more][:8]
    return ways


def _more(kind: Any, value: Any) -> list[list[str]]:
    if kind is signs.LITERAL:
        return [[chr(value)]]
    if kind is signs.NOT_LITERAL:
        return [["b" if chr(value) == "a" else "a"]]
    if kind is signs.ANY:
        return [["a"]]
    if kind is signs.IN:
        return [[letter] for letter in _some_of(value)]
    if kind in (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT):
        return _ways(value[2])
    if kind is signs.SUBPATTERN:
        return _ways(value[3])
    if kind is signs.ATOMIC_GROUP:
        return _ways(value)
    if kind is signs.BRANCH:
        return [way for branch in value[1] for way in _ways(branch)][:8]
    return [[]]


def _some_of(items: Sequence[tuple[Any, Any]]) -> list[str]:
    """Return up to two characters of a set."""
    if items[0][0] is signs.NEGATE:
        pattern = re.compile("|".join(f"(?:{_one(kind, value)})" for kind, value in items[1:]), re.DOTALL)
        return [letter for letter in 'a.-[<"1 ' if not pattern.fullmatch(letter)][:2] or ["é"]
    found = [chr(value if kind is signs.LITERAL else value[0]) for kind, value in items if kind is not signs.CATEGORY]
    found += [_CATEGORIES[str(value).removeprefix("CATEGORY_")] for kind, value in items if kind is signs.CATEGORY]
    return found[:2]


def _one(kind: Any, value: Any) -> str:
    if kind is signs.LITERAL:
        return re.escape(chr(value))
    if kind is signs.RANGE:
        return f"[{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}]"
    letter = str(value).removeprefix("CATEGORY_")
    sign = {"DIGIT": "d", "WORD": "w", "SPACE": "s"}[letter.removeprefix("NOT_")]
    return f"\\{sign.upper() if letter.startswith('NOT_') else sign}"
